"""The addresses of tables, of the form that opens one, and of the calculator."""

from django.urls import path

from companion.tables import advising, printing, setup_views, views

urlpatterns = [
    path("tables/new/<slug:slug>/", setup_views.new_table, name="new-table"),
    path("calculate/<slug:slug>/", setup_views.calculator, name="calculator"),
    path("prepare/<slug:slug>/", advising.prepare_page, name="prepare"),
    path("tables/<str:public_id>/", views.table_page, name="table"),
    path("tables/<str:public_id>/entries/", views.record_entry, name="record"),
    path("tables/<str:public_id>/entries/<int:number>/", views.correct_page, name="correct"),
    path("tables/<str:public_id>/preview/", views.preview_counts, name="preview"),
    path("tables/<str:public_id>/help/", advising.help_page, name="help"),
    path("tables/<str:public_id>/log/", views.log_page, name="log"),
    path("tables/<str:public_id>/paper/", printing.sheet_page, name="table-paper"),
    path("tables/<str:public_id>/paper.pdf", printing.sheet_pdf, name="table-pdf"),
    path("tables/<str:public_id>/note/", views.change_note, name="note"),
    path("tables/<str:public_id>/rematch/", setup_views.rematch, name="rematch"),
    path("tables/<str:public_id>/bin/", views.bin_table, name="bin-table"),
    path("tables/<str:public_id>/unbin/", views.unbin_table, name="unbin-table"),
]
