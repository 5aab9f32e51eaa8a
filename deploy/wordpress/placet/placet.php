<?php
/**
 * Plugin Name:       Placet
 * Description:       Shows the consent widget of your own Placet server, makes scripts, styles and embeds wait for consent, and lets PHP read what the visitor has chosen.
 * Version:           0.1.0
 * Requires at least: 5.7
 * Requires PHP:      7.4
 * Author:            Placet
 * License:           Apache-2.0
 * License URI:       https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain:       placet
 * Domain Path:       /languages
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/options.php';
require_once __DIR__ . '/includes/consent.php';
require_once __DIR__ . '/includes/snippet.php';
require_once __DIR__ . '/includes/gate.php';
require_once __DIR__ . '/includes/embeds.php';
require_once __DIR__ . '/includes/insert.php';
require_once __DIR__ . '/includes/consent-api.php';

// Before what other plugins print: nothing may run before the widget knows of it.
add_action( 'wp_head', 'placet_print_snippet', PHP_INT_MIN );
add_action( 'login_head', 'placet_print_snippet', PHP_INT_MIN );

// After what other plugins make of a tag.
add_filter( 'script_loader_tag', 'placet_gate_tag', PHP_INT_MAX, 2 );
add_filter( 'style_loader_tag', 'placet_gate_tag', PHP_INT_MAX, 2 );
add_filter( 'wp_script_attributes', 'placet_gate_module', PHP_INT_MAX );
add_filter( 'wp_resource_hints', 'placet_drop_hints', PHP_INT_MAX );

add_filter( 'embed_oembed_html', 'placet_gate_embed', PHP_INT_MAX, 2 );
foreach ( array( 'render_block', 'the_content', 'widget_text', 'widget_custom_html_content' ) as $placet_content ) {
	add_filter( $placet_content, 'placet_gate_content', PHP_INT_MAX );
}
unset( $placet_content );

add_action( 'init', 'placet_register_insert' );

add_filter( 'wp_get_consent_type', 'placet_consent_type' );
add_filter( 'wp_has_consent', 'placet_answer_consent_api', 10, 2 );
add_filter( 'wp_consent_api_registered_' . plugin_basename( __FILE__ ), '__return_true' );
add_action( 'wp_enqueue_scripts', 'placet_tell_consent_api', PHP_INT_MAX );

if ( is_admin() ) {
	require_once __DIR__ . '/includes/settings.php';
	add_action( 'admin_menu', 'placet_add_settings_page' );
	add_action( 'admin_init', 'placet_register_settings' );
	add_filter( 'plugin_action_links_' . plugin_basename( __FILE__ ), 'placet_add_settings_link' );
}
