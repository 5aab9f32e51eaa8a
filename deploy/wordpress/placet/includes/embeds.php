<?php
/**
 * Videos, posts and players of other sites that wait for consent, with a placeholder.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * The vendor that an address of another site waits for, if any.
 *
 * @param string $address Such as the one of a video.
 */
function placet_vendor_of_address( string $address ): ?string {
	$options = placet_options();
	if ( '' === placet_script_address( $options ) || ! placet_is_site() ) {
		return null;
	}
	$host  = strtolower( (string) wp_parse_url( trim( $address ), PHP_URL_HOST ) );
	$hosts = placet_pairs( $options['embeds'], true )[0];
	while ( '' !== $host && ! isset( $hosts[ $host ] ) ) {
		$host = (string) substr( (string) strstr( $host, '.' ), 1 );
	}
	return $hosts[ $host ] ?? null;
}

/**
 * Makes an embed wait for the vendor of its address, wherever its parts come from.
 *
 * @param mixed  $html    The HTML that WordPress has made of the address.
 * @param string $address The address.
 */
function placet_gate_embed( $html, $address ) {
	$vendor = placet_vendor_of_address( (string) $address );
	if ( null === $vendor || ! is_string( $html ) ) {
		return $html;
	}
	return placet_gate_markup(
		$html,
		static function () use ( $vendor ): string {
			return $vendor;
		}
	);
}

/**
 * Makes everything in a piece of the page wait that comes from a host on the owner's list.
 *
 * @param mixed $html Of a block or a whole text.
 */
function placet_gate_content( $html ) {
	return is_string( $html ) ? placet_gate_markup( $html, 'placet_vendor_of_address' ) : $html;
}
