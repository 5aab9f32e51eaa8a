<?php
// Removes the plugin from a network of two sites, and prints how many options of it there were before
// and are left. The network is for this run alone: the sites' own requests know nothing of it.

define( 'MULTISITE', true );
define( 'SUBDOMAIN_INSTALL', false );
define( 'DOMAIN_CURRENT_SITE', 'localhost' );
define( 'PATH_CURRENT_SITE', '/' );
define( 'SITE_ID_CURRENT_SITE', 1 );
define( 'BLOG_ID_CURRENT_SITE', 1 );
$_SERVER['HTTP_HOST'] = 'localhost';
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';

$second = wpmu_create_blog( 'localhost', '/second/', 'The second site', 1 );
update_option( 'placet', array( 'url' => 'https://consent.example' ) );
update_blog_option( $second, 'placet', array( 'url' => 'https://consent.example' ) );
$options = static function () use ( $wpdb, $second ): int {
	$count = 0;
	foreach ( array( 1, $second ) as $site ) {
		$count += (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->get_blog_prefix( $site )}options WHERE option_name = 'placet'" );
	}
	return $count;
};
echo $options(), ' ';
define( 'WP_UNINSTALL_PLUGIN', 'placet/placet.php' );
require WP_PLUGIN_DIR . '/placet/uninstall.php';
echo $options();
