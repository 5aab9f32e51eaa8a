<?php
/**
 * Scripts, modules and style sheets of themes and plugins that wait for consent.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Tells requests for visitors' pages from others. The back office and feeds have no widget that could
 * release anything. Themes fetch more of a page by `admin-ajax.php`.
 */
function placet_is_site(): bool {
	if ( is_admin() ) {
		return wp_doing_ajax() && 0 !== strpos( (string) wp_get_raw_referer(), admin_url() );
	}
	return ! is_feed();
}

/**
 * The vendor that a handle waits for, if any.
 *
 * @param string $handle Of a script, a module or a style.
 */
function placet_vendor_of_handle( string $handle ): ?string {
	return placet_is_site() ? placet_pairs( placet_options()['gated'] )[0][ $handle ] ?? null : null;
}

/**
 * Finds an attribute: its name, and its value with quotes.
 */
const PLACET_ATTRIBUTE = '/([^\s=\/"\'>]+)(?:\s*=\s*("[^"]*"|\'[^\']*\'|[^\s"\'>]+))?/';

/**
 * The addresses that a tag loads; an empty one for an inline script.
 *
 * @param string $attributes As they stand in the tag.
 * @return array<int, string>
 */
function placet_addresses( string $attributes ): array {
	$addresses = array();
	preg_match_all( PLACET_ATTRIBUTE, $attributes, $all, PREG_SET_ORDER );
	foreach ( $all as $found ) {
		if ( in_array( strtolower( $found[1] ), array( 'src', 'srcset', 'href' ), true ) ) {
			$addresses[] = strtok( html_entity_decode( trim( $found[2] ?? '', '"\'' ) ), " \t\n" );
		}
	}
	return array_map( 'strval', array() === $addresses ? array( '' ) : $addresses );
}

/**
 * The start of a tag, changed so that the tag waits. A tag that waits already, or is only data, stays.
 *
 * @param string $name       `script`, `iframe`, `img` or `link`.
 * @param string $attributes As they stand in the tag.
 * @param string $vendor     The vendor that it waits for.
 */
function placet_waiting_tag( string $name, string $attributes, string $vendor ): string {
	$is_script = 'script' === $name;
	$first     = ' data-requires-vendor-consent="' . esc_attr( $vendor ) . '"';
	$leave     = false;
	$rest      = preg_replace_callback(
		PLACET_ATTRIBUTE,
		static function ( array $found ) use ( $is_script, &$first, &$leave ): string {
			$key = strtolower( $found[1] );
			if ( 'data-requires-vendor-consent' === $key ) {
				$leave = true;
			}
			if ( $is_script && 'type' === $key ) {
				$kind = strtolower( trim( $found[2] ?? '', " \t\"'" ) );
				if ( 'module' === $kind ) {
					// It is one again when it starts.
					$first .= ' data-type="module"';
				} elseif ( '' !== $kind && ! preg_match( '~^(?:text|application)/(?:x-)?(?:java|ecma)script~', $kind ) ) {
					$leave = true;
				}
				return '';
			}
			return ! $is_script && in_array( $key, array( 'src', 'srcset', 'href' ), true ) ? 'data-' . $found[0] : $found[0];
		},
		$attributes
	);
	if ( $leave || ! is_string( $rest ) ) {
		return '<' . $name . $attributes . '>';
	}
	return '<' . $name . ( $is_script ? ' type="text/plain"' : '' ) . $first . preg_replace( '/\s{2,}/', ' ', $rest ) . '>';
}

/**
 * Makes the tags in a piece of HTML wait.
 *
 * @param string   $html      The HTML.
 * @param callable $vendor_of The vendor that a tag waits for, by the address it loads (empty for an inline script), or `null`.
 */
function placet_gate_markup( string $html, callable $vendor_of ): string {
	if ( ! preg_match( '/<(?:script|iframe|img|link)\b/i', $html ) ) {
		return $html;
	}
	$attributes = '((?:[^>"\']++|"[^"]*+"|\'[^\']*+\')*+)';
	$gated      = preg_replace_callback(
		// Text in comments and within scripts is no tag.
		'~<!--.*?-->|<(script)\b' . $attributes . '>(.*?</script\s*>)|<(iframe|img|link)\b' . $attributes . '>~is',
		static function ( array $found ) use ( $vendor_of ): string {
			$name = strtolower( $found[4] ?? $found[1] ?? '' );
			if ( '' === $name ) {
				return $found[0];
			}
			$attributes = $found[5] ?? $found[2];
			$vendor     = null;
			foreach ( placet_addresses( $attributes ) as $address ) {
				$vendor = $vendor ?? $vendor_of( $address );
			}
			return null === $vendor ? $found[0] : placet_waiting_tag( $name, $attributes, $vendor ) . ( isset( $found[4] ) ? '' : $found[3] );
		},
		$html
	);
	return is_string( $gated ) ? $gated : $html;
}

/**
 * Makes a script or a style sheet wait that the owner has listed, and inline scripts printed beside it.
 *
 * @param mixed  $tag    What WordPress would print for it.
 * @param string $handle Its handle.
 */
function placet_gate_tag( $tag, $handle ) {
	$vendor = placet_vendor_of_handle( $handle );
	if ( null === $vendor || ! is_string( $tag ) ) {
		return $tag;
	}
	return placet_gate_markup(
		$tag,
		static function () use ( $vendor ): string {
			return $vendor;
		}
	);
}

/**
 * The same for a module. WordPress prints nothing but its id to know it by.
 *
 * @param mixed $attributes Of any script.
 */
function placet_gate_module( $attributes ) {
	if ( ! is_array( $attributes ) || ! preg_match( '/^(.+)-js-module$/D', (string) ( $attributes['id'] ?? '' ), $found ) ) {
		return $attributes;
	}
	$vendor = placet_vendor_of_handle( $found[1] );
	if ( null === $vendor ) {
		return $attributes;
	}
	return array_merge(
		$attributes,
		array(
			'type'                         => 'text/plain',
			'data-type'                    => 'module',
			'data-requires-vendor-consent' => $vendor,
		)
	);
}

/**
 * Takes the hosts of waiting scripts and styles out of those that WordPress has browsers look up early.
 *
 * @param mixed $hints Addresses, or attributes with one.
 */
function placet_drop_hints( $hints ) {
	if ( ! is_array( $hints ) || ! placet_is_site() ) {
		return $hints;
	}
	$hosts = array();
	foreach ( array( wp_scripts(), wp_styles() ) as $all ) {
		foreach ( placet_pairs( placet_options()['gated'] )[0] as $handle => $vendor ) {
			$hosts[] = wp_parse_url( (string) ( $all->registered[ $handle ]->src ?? '' ), PHP_URL_HOST );
		}
	}
	$hosts = array_filter( $hosts );
	return array_filter(
		$hints,
		static function ( $hint ) use ( $hosts ): bool {
			$address = is_array( $hint ) ? $hint['href'] ?? '' : $hint;
			$host    = wp_parse_url( false === strpos( $address, '//' ) ? '//' . $address : $address, PHP_URL_HOST );
			return ! in_array( $host, $hosts, true );
		}
	);
}
