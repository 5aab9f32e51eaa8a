<?php
/**
 * Scripts of themes and plugins that wait for consent.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Makes a script wait that the owner has put down for a vendor.
 *
 * @param string $tag    What WordPress would print for it.
 * @param string $handle Its handle.
 */
function placet_gate_script( $tag, $handle ) {
	// There is no widget that could release it.
	if ( is_admin() ) {
		return $tag;
	}
	$gated = placet_gated_of( placet_options()['gated'] );
	if ( ! isset( $gated[ $handle ] ) || ! is_string( $tag ) ) {
		return $tag;
	}
	$vendor = esc_attr( $gated[ $handle ] );
	return preg_replace_callback(
		'/<script\b([^>]*)>/i',
		static function ( array $found ) use ( $vendor ): string {
			// The kind of a module is kept for when it starts.
			$kind       = preg_match( '/\stype\s*=\s*["\']?module\b/i', $found[1] ) ? ' data-type="module"' : '';
			$attributes = preg_replace( '/\stype\s*=\s*("[^"]*"|\'[^\']*\'|[^\s>]+)/i', '', $found[1] );
			return '<script type="text/plain" data-requires-vendor-consent="' . $vendor . '"' . $kind . $attributes . '>';
		},
		$tag
	);
}
