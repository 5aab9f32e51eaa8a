<?php
/**
 * Plugin Name:       Placet
 * Description:       Shows the consent widget of your own Placet server, makes scripts wait for consent, and lets PHP read what the visitor has chosen.
 * Version:           0.1.0
 * Requires at least: 5.7
 * Requires PHP:      7.4
 * License:           Apache-2.0
 * License URI:       https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain:       placet
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/options.php';
require_once __DIR__ . '/includes/consent.php';
require_once __DIR__ . '/includes/snippet.php';
require_once __DIR__ . '/includes/gate.php';

// Before what other plugins print: nothing may run before the widget knows of it.
add_action( 'wp_head', 'placet_print_snippet', 1 );
add_action( 'login_head', 'placet_print_snippet', 1 );
add_filter( 'script_loader_tag', 'placet_gate_script', 10, 2 );

if ( is_admin() ) {
	require_once __DIR__ . '/includes/settings.php';
	add_action( 'admin_menu', 'placet_add_settings_page' );
	add_action( 'admin_init', 'placet_register_settings' );
}
