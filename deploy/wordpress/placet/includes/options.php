<?php
/**
 * What the site's owner has set.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * All options, each there.
 *
 * @return array<string, string>
 */
function placet_options(): array {
	$known  = array(
		'url'             => '',
		'client_id'       => '',
		'cookies_version' => '',
		'published_url'   => '',
		'gated'           => '',
	);
	$stored = get_option( 'placet', array() );
	return array_map( 'strval', array_merge( $known, array_intersect_key( is_array( $stored ) ? $stored : array(), $known ) ) );
}

/**
 * An address without a slash at its end; empty unless it is one of the web.
 *
 * @param mixed $value Something that was typed.
 */
function placet_clean_url( $value ): string {
	$url = esc_url_raw( trim( is_string( $value ) ? $value : '' ), array( 'http', 'https' ) );
	return rtrim( $url, '/' );
}

/**
 * What was typed, with everything gone that cannot be meant.
 *
 * @param mixed $typed The form's fields.
 * @return array<string, string>
 */
function placet_clean_options( $typed ): array {
	$typed = is_array( $typed ) ? $typed : array();
	$text  = static function ( string $key, string $pattern ) use ( $typed ): string {
		$value = trim( isset( $typed[ $key ] ) && is_string( $typed[ $key ] ) ? $typed[ $key ] : '' );
		return preg_match( $pattern, $value ) ? $value : '';
	};
	$lines = array();
	foreach ( placet_gated_of( isset( $typed['gated'] ) && is_string( $typed['gated'] ) ? $typed['gated'] : '' ) as $handle => $vendor ) {
		$lines[] = $handle . ' ' . $vendor;
	}
	return array(
		'url'             => placet_clean_url( $typed['url'] ?? '' ),
		'client_id'       => $text( 'client_id', '/^[A-Za-z0-9-]{1,64}$/' ),
		'cookies_version' => $text( 'cookies_version', '/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/' ),
		'published_url'   => placet_clean_url( $typed['published_url'] ?? '' ),
		'gated'           => implode( "\n", $lines ),
	);
}

/**
 * Which scripts wait for whom, of lines of a script's handle and a vendor's name.
 *
 * @param string $text The lines.
 * @return array<string, string>
 */
function placet_gated_of( string $text ): array {
	$gated = array();
	foreach ( preg_split( '/\R/', $text ) as $line ) {
		if ( preg_match( '/^\s*([A-Za-z0-9_.\/-]+)[\s=]+([a-z0-9][a-z0-9_.-]{0,63})\s*$/', $line, $found ) ) {
			$gated[ $found[1] ] = $found[2];
		}
	}
	return $gated;
}
