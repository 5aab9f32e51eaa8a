<?php
/**
 * The lines that bring the widget.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Universal Event Tracking and Clarity: denied at first, then told what each choice grants. As on
 * the page “Install” of a project.
 */
const PLACET_MICROSOFT = <<<'JS'
window.uetq = window.uetq || [];
window.clarity = window.clarity || function () { (clarity.q = clarity.q || []).push(arguments); };
(function (tell) {
  tell('default', {});
  (window._placet = window._placet || []).push(function (sdk) {
    sdk.on('consent:signals', function (signals) { tell('update', signals); });
  });
})(function (what, signals) {
  var ads = signals.ad_storage || 'denied', analytics = signals.analytics_storage || 'denied';
  uetq.push('consent', what, { ad_storage: ads });
  clarity('consentv2', { ad_Storage: ads, analytics_Storage: analytics });
});
JS;

/**
 * Links to #placet open the widget, in menus too.
 */
const PLACET_REOPEN = <<<'JS'
addEventListener('click', function (event) {
  if (!event.target.closest || !event.target.closest('a[href="#placet"]')) return;
  event.preventDefault();
  (window._placet = window._placet || []).push(function (sdk) { sdk.openCookies(); });
});
JS;

/**
 * Address of the widget's script; empty while it is not set up.
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
	if ( '' !== $options['consent_mode'] ) {
		$settings['googleConsentMode'] = true;
	}
	return (array) apply_filters( 'placet_settings', $settings );
}

/**
 * Values as JSON that cannot end a script.
 *
 * @param mixed $value The value.
 */
function placet_json( $value ): string {
	return (string) wp_json_encode( $value, JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES );
}

/**
 * The signals before anybody has chosen. The filter `placet_consent_mode` may say more, with the keys of
 * `googleConsentMode` of a configuration.
 *
 * @param array<string, string> $options As of `placet_options`.
 */
function placet_consent_defaults( array $options ): string {
	$mode     = (array) apply_filters( 'placet_consent_mode', array( 'microsoft' => '' !== $options['microsoft'] ) );
	$signals  = array( 'ad_storage', 'ad_user_data', 'ad_personalization', 'analytics_storage', 'functionality_storage', 'personalization_storage' );
	$defaults = array_fill_keys( $signals, 'denied' ) + array(
		'security_storage' => 'granted',
		'wait_for_update'  => absint( $mode['waitForUpdate'] ?? 500 ),
	);
	if ( ! empty( $mode['region'] ) ) {
		$defaults['region'] = array_values( (array) $mode['region'] );
	}
	$lines = array(
		'window.dataLayer = window.dataLayer || [];',
		'function gtag() { dataLayer.push(arguments); }',
		"gtag('consent', 'default', " . placet_json( $defaults ) . ');',
	);
	if ( $mode['adsDataRedaction'] ?? true ) {
		$lines[] = "gtag('set', 'ads_data_redaction', true);";
	}
	if ( ! empty( $mode['urlPassthrough'] ) ) {
		$lines[] = "gtag('set', 'url_passthrough', true);";
	}
	if ( ! empty( $mode['microsoft'] ) ) {
		$lines[] = PLACET_MICROSOFT;
	}
	return implode( "\n", $lines );
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
	if ( '' !== $options['consent_mode'] ) {
		wp_print_inline_script_tag( placet_consent_defaults( $options ), array( 'id' => 'placet-consent-mode' ) );
	}
	$settings = 'window.placetSettings = ' . placet_json( placet_sdk_settings( $options ) ) . ';';
	wp_print_inline_script_tag( $settings . "\n" . PLACET_REOPEN, array( 'id' => 'placet-settings' ) );
	wp_print_script_tag(
		array(
			'id'    => 'placet-sdk',
			'src'   => esc_url( $address ),
			'async' => true,
		)
	);
}
