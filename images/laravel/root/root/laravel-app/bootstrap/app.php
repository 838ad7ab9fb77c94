<?php

// The framework is Debian's package; what Composer installs for this app comes after it.
require_once '/usr/share/php/Illuminate/autoload.php';
require_once __DIR__.'/../vendor/autoload.php';

// Each machine makes its own .env, with its own key, when it first needs one.
$env = dirname(__DIR__).'/.env';
if (! is_file($env)) {
    $key = 'base64:'.base64_encode(random_bytes(32));
    file_put_contents($env, str_replace('APP_KEY=', "APP_KEY=$key", file_get_contents("$env.example")));
}

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, App\Http\Kernel::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, App\Console\Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);

return $app;
