"""URLs of tables, the new-table form, and the calculator."""

from django.urls import path

from companion.tables.views import calculator, guests, help, join, new_table, poll, print, table

urlpatterns = [
    path("tables/new/<slug:slug>/", new_table.set_up_table, name="new-table"),
    path("calculate/<slug:slug>/", calculator.show_calculator, name="calculator"),
    path("prepare/<slug:slug>/", calculator.show_preparation, name="prepare"),
    path("join/", join.join_table, name="join"),
    path("circle/device/", guests.change_device, name="change-device"),
    path("tables/<str:public_id>/", table.show_table, name="table"),
    path("tables/<str:public_id>/entries/", table.record_entry, name="record"),
    path("tables/<str:public_id>/entries/<int:number>/", table.show_correction, name="correct"),
    path("tables/<str:public_id>/preview/", table.preview_counts, name="preview"),
    path("tables/<str:public_id>/help/", help.show_help, name="help"),
    path("tables/<str:public_id>/news/", poll.answer_poll, name="news"),
    path("tables/<str:public_id>/log/", table.show_log, name="log"),
    path("tables/<str:public_id>/paper/", print.show_printout, name="table-paper"),
    path("tables/<str:public_id>/paper.pdf", print.download_pdf, name="table-pdf"),
    path("tables/<str:public_id>/note/", table.change_note, name="note"),
    path("tables/<str:public_id>/details/", table.edit_details, name="details"),
    path("tables/<str:public_id>/rematch/", new_table.open_rematch, name="rematch"),
    path("tables/<str:public_id>/together/", guests.show_guests, name="together"),
    path("tables/<str:public_id>/door/", guests.change_door, name="door"),
    path("tables/<str:public_id>/seat/", guests.take_seat, name="seat"),
    path("tables/<str:public_id>/guest/", guests.change_guest, name="guest"),
    path("tables/<str:public_id>/secrecy/", guests.change_secrecy, name="secrecy"),
    path("tables/<str:public_id>/display/", guests.show_display, name="display"),
    path("tables/<str:public_id>/bin/", table.bin_table, name="bin-table"),
    path("tables/<str:public_id>/unbin/", table.unbin_table, name="unbin-table"),
]
