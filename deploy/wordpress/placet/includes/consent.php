<?php
/**
 * Choices of the visitor, read from the cookies that the widget sets.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Names of the widget's cookies, by the settings that rename them.
 */
const PLACET_COOKIES = array(
	'jsonCookieName'              => 'placet_cookies',
	'allVendorsCookieName'        => 'placet_all_vendors',
	'authorizedVendorsCookieName' => 'placet_authorized_vendors',
);

/**
 * Cookies of a request by their names. Of two with one name the later counts, as in the browser: PHP keeps the other one,
 * which is left over where a site names another domain than before.
 *
 * @param string $header The header `Cookie`.
 * @return array<string, string> Decoded values.
 */
function placet_sent_cookies( string $header ): array {
	$cookies = array();
	foreach ( explode( ';', $header ) as $pair ) {
		$parts = explode( '=', $pair, 2 );
		if ( isset( $parts[1] ) ) {
			$cookies[ trim( $parts[0] ) ] = rawurldecode( trim( $parts[1] ) );
		}
	}
	return $cookies;
}

/**
 * The widget's cookies under our own names, whatever the settings call them.
 *
 * @param array<string, string> $cookies  Cookies by their names.
 * @param array<string, mixed>  $settings The SDK's.
 * @return array<string, string>
 */
function placet_named_cookies( array $cookies, array $settings ): array {
	$ours = array();
	foreach ( PLACET_COOKIES as $setting => $own ) {
		$name = isset( $settings[ $setting ] ) && is_string( $settings[ $setting ] ) && '' !== $settings[ $setting ] ? $settings[ $setting ] : $own;
		if ( isset( $cookies[ $name ] ) ) {
			$ours[ $own ] = $cookies[ $name ];
		}
	}
	return $ours;
}

/**
 * Choices in cookies, without WordPress.
 *
 * @param array<string, string> $cookies Cookies by name, decoded and without added slashes.
 * @param string                $project The project's id; any, when empty.
 * @param int                   $now     Seconds since 1970.
 * @return array<string, bool> Whether each vendor is allowed; empty while nothing is chosen.
 */
function placet_read_choices( array $cookies, string $project, int $now ): array {
	$text   = isset( $cookies['placet_cookies'] ) && is_string( $cookies['placet_cookies'] ) ? $cookies['placet_cookies'] : '';
	$cookie = strlen( $text ) <= 8192 ? json_decode( $text, true ) : null;
	if ( ! is_array( $cookie ) || empty( $cookie['$$completed'] ) ) {
		return array();
	}
	if ( '' !== $project && ( $cookie['$$projectId'] ?? null ) !== $project ) {
		return array();
	}
	$made     = isset( $cookie['$$date'] ) && is_string( $cookie['$$date'] ) ? strtotime( $cookie['$$date'] ) : false;
	$duration = isset( $cookie['$$duration'] ) && is_numeric( $cookie['$$duration'] ) ? (float) $cookie['$$duration'] : 0.0;
	$day      = 86400;
	if ( false === $made || $made > $now + $day || $now - $made > $duration * $day ) {
		return array();
	}
	// A choice too large for one cookie is in lists alone.
	$choices = array();
	foreach ( array(
		'placet_all_vendors'        => false,
		'placet_authorized_vendors' => true,
	) as $name => $allowed ) {
		$list = isset( $cookies[ $name ] ) && is_string( $cookies[ $name ] ) ? $cookies[ $name ] : '';
		foreach ( array_filter( explode( ',', $list ) ) as $vendor ) {
			$choices[ $vendor ] = $allowed;
		}
	}
	foreach ( $cookie as $vendor => $allowed ) {
		if ( is_bool( $allowed ) && 0 !== strncmp( (string) $vendor, '$$', 2 ) ) {
			$choices[ $vendor ] = $allowed;
		}
	}
	return $choices;
}

/**
 * Choices of the visitor of this request: whether each vendor is allowed.
 *
 * Empty while nothing is chosen. A page that a cache keeps is one for all visitors: there, let
 * the widget decide in the browser.
 *
 * @return array<string, bool>
 */
function placet_choices(): array {
	$options = placet_options();
	// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- read as JSON and compared, never printed.
	$header  = isset( $_SERVER['HTTP_COOKIE'] ) ? (string) wp_unslash( $_SERVER['HTTP_COOKIE'] ) : '';
	$cookies = placet_named_cookies( placet_sent_cookies( $header ), placet_sdk_settings( $options ) );
	return placet_read_choices( $cookies, $options['client_id'], time() );
}

/**
 * Whether the visitor of this request allows a vendor.
 *
 * @param string $vendor The vendor's name.
 */
function placet_has_consent( string $vendor ): bool {
	return true === ( placet_choices()[ $vendor ] ?? false );
}

/**
 * Whether the visitor of this request has chosen at all.
 */
function placet_has_answered(): bool {
	return array() !== placet_choices();
}
