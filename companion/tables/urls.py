"""The addresses of tables, of the form that opens one, and of the calculator."""

from django.urls import path

from companion.tables import advising, joining, member_views, news, printing, setup_views, together, views

urlpatterns = [
    path("tables/new/<slug:slug>/", setup_views.new_table, name="new-table"),
    path("calculate/<slug:slug>/", setup_views.calculator, name="calculator"),
    path("prepare/<slug:slug>/", advising.prepare_page, name="prepare"),
    path("join/", joining.join_page, name="join"),
    path("circle/device/", member_views.change_device, name="change-device"),
    path("tables/<str:public_id>/", views.table_page, name="table"),
    path("tables/<str:public_id>/entries/", views.record_entry, name="record"),
    path("tables/<str:public_id>/entries/<int:number>/", views.correct_page, name="correct"),
    path("tables/<str:public_id>/preview/", views.preview_counts, name="preview"),
    path("tables/<str:public_id>/help/", advising.help_page, name="help"),
    path("tables/<str:public_id>/news/", news.news, name="news"),
    path("tables/<str:public_id>/log/", views.log_page, name="log"),
    path("tables/<str:public_id>/paper/", printing.sheet_page, name="table-paper"),
    path("tables/<str:public_id>/paper.pdf", printing.sheet_pdf, name="table-pdf"),
    path("tables/<str:public_id>/note/", views.change_note, name="note"),
    path("tables/<str:public_id>/details/", views.details_page, name="details"),
    path("tables/<str:public_id>/rematch/", setup_views.rematch, name="rematch"),
    path("tables/<str:public_id>/together/", together.together_page, name="together"),
    path("tables/<str:public_id>/door/", together.change_door, name="door"),
    path("tables/<str:public_id>/seat/", together.take_seat, name="seat"),
    path("tables/<str:public_id>/guest/", together.change_guest, name="guest"),
    path("tables/<str:public_id>/secrecy/", together.change_secrecy, name="secrecy"),
    path("tables/<str:public_id>/display/", together.display_page, name="display"),
    path("tables/<str:public_id>/bin/", views.bin_table, name="bin-table"),
    path("tables/<str:public_id>/unbin/", views.unbin_table, name="unbin-table"),
]
