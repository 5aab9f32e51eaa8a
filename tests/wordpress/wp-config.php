<?php
// The configuration of the WordPress of a test, set up by the environment.

define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'wordpress' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:' . getenv( 'PLACET_TEST_SOCKET' ) );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'WP_HOME', getenv( 'PLACET_TEST_SITE' ) );
define( 'WP_SITEURL', getenv( 'PLACET_TEST_SITE' ) );
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $what ) {
	define( $what . '_KEY', $what );
	define( $what . '_SALT', $what );
}
// A page with a notice of PHP fails the tests that look for it.
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', true );
// Nothing goes on behind the back of a test, and nothing leaves the machine.
define( 'DISABLE_WP_CRON', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'FS_METHOD', 'direct' );
$table_prefix = 'wp_';
defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
