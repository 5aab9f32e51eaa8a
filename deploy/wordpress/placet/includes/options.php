<?php
/**
 * The settings of the site's owner.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Hosts whose embeds wait unless the owner says otherwise, with the names that the catalogue of
 * Placet gives their vendors.
 */
const PLACET_EMBEDS = 'youtube.com youtube
youtu.be youtube
youtube-nocookie.com youtube
vimeo.com vimeo
dailymotion.com dailymotion
spotify.com spotify
soundcloud.com soundcloud
mixcloud.com mixcloud
twitter.com x
x.com x
facebook.com facebook
facebook.net facebook
instagram.com instagram
tiktok.com tiktok
reddit.com reddit
pinterest.com pinterest
bsky.app bluesky
issuu.com issuu
scribd.com scribd
flickr.com flickr';

/**
 * Settings until the owner has stored some.
 */
const PLACET_DEFAULTS = array(
	'url'             => '',
	'client_id'       => '',
	'cookies_version' => '',
	'published_url'   => '',
	'gated'           => '',
	'embeds'          => PLACET_EMBEDS,
	'consent_mode'    => '',
	'microsoft'       => '',
);

/**
 * The texts of known keys among values.
 *
 * @param mixed $values Anything.
 * @return array<string, string>
 */
function placet_known( $values ): array {
	return array_filter( array_intersect_key( is_array( $values ) ? $values : array(), PLACET_DEFAULTS ), 'is_string' );
}

/**
 * All options, each there.
 *
 * @return array<string, string>
 */
function placet_options(): array {
	return array_merge( PLACET_DEFAULTS, placet_known( get_option( 'placet' ) ) );
}

/**
 * Reads lines of a name and a vendor's name. Gives the vendors by name, and the first line that is wrong.
 *
 * @param string $text  The lines.
 * @param bool   $hosts True when the names are hosts.
 * @return array{array<string, string>, string}
 */
function placet_pairs( string $text, bool $hosts = false ): array {
	$pairs  = array();
	$broken = '';
	$name   = $hosts ? '(?:https?://)?(?:www\.)?((?:[a-z0-9-]+\.)+[a-z0-9-]+)/?' : '([A-Za-z0-9_.:/@-]+)';
	foreach ( preg_split( '/\R/', $text ) as $line ) {
		if ( preg_match( '~^\s*' . $name . '[\s=]+([a-z0-9][a-z0-9_.-]{0,63})\s*$~D' . ( $hosts ? 'i' : '' ), $line, $found ) ) {
			list( , $waits, $vendor ) = $hosts ? array_map( 'strtolower', $found ) : $found;
			$pairs[ $waits ]            = $vendor;
		} elseif ( '' !== trim( $line ) && '' === $broken ) {
			$broken = trim( $line );
		}
	}
	return array( $pairs, $broken );
}
