import django
from django.shortcuts import render


def home(request):
    return render(request, "home.html", {"version": django.get_version()})
