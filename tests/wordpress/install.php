<?php
// Installs WordPress into an empty database, with the plugin and the theme of the tests.

define( 'WP_INSTALLING', true );
$folder = $argv[1];
( new mysqli( 'localhost', 'wordpress', '', '', 0, getenv( 'PLACET_TEST_SOCKET' ) ) )->query( 'CREATE DATABASE wordpress CHARACTER SET utf8mb4' );
require $folder . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_install( 'A site of WordPress', 'admin', 'admin@shop.example', false, '', 'secret' );
switch_theme( 'shop' );
// As a click on “Activate” does.
$failed = activate_plugin( 'placet/placet.php' );
if ( is_wp_error( $failed ) ) {
	fwrite( STDERR, $failed->get_error_message() );
	exit( 1 );
}
