<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{ config('app.name') }}</title>
</head>
<body>
    <h1>Hello from Laravel {{ app()->version() }}</h1>
    <p>Edit resources/views/welcome.blade.php and reload this page.</p>
</body>
</html>
