<?php
/**
 * The lines that bring the widget.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Where the widget comes from; empty while it is not set up.
 *
 * With a configuration it is the one file that publishing made for it, else the one that works
 * out the configuration by the page's language.
 *
 * @param array<string, string> $options As of `placet_options`.
 */
function placet_script_address( array $options ): string {
	if ( '' === $options['url'] || '' === $options['client_id'] ) {
		return '';
	}
	if ( '' === $options['cookies_version'] ) {
		return $options['url'] . '/sdk.js';
	}
	$published = '' !== $options['published_url'] ? $options['published_url'] : $options['url'] . '/cdn';
	return $published . '/' . rawurlencode( $options['client_id'] ) . '/' . rawurlencode( $options['cookies_version'] ) . '.js';
}

/**
 * Settings of the SDK. The filter `placet_settings` may add some, such as `token`.
 *
 * @param array<string, string> $options As of `placet_options`.
 * @return array<string, mixed>
 */
function placet_sdk_settings( array $options ): array {
	$settings = array( 'clientId' => $options['client_id'] );
	if ( '' !== $options['cookies_version'] ) {
		$settings['cookiesVersion'] = $options['cookies_version'];
	}
	return (array) apply_filters( 'placet_settings', $settings );
}

/**
 * Prints them.
 */
function placet_print_snippet(): void {
	$options = placet_options();
	$address = placet_script_address( $options );
	if ( '' === $address ) {
		return;
	}
	$settings = placet_sdk_settings( $options );
	// Nothing in it can end the script.
	$json = wp_json_encode( $settings, JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES );
	wp_print_inline_script_tag( 'window.placetSettings = ' . $json . ';', array( 'id' => 'placet-settings' ) );
	wp_print_script_tag(
		array(
			'id'    => 'placet-sdk',
			'src'   => esc_url( $address ),
			'async' => true,
		)
	);
}
