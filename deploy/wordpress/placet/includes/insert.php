<?php
/**
 * Shortcodes and a block for authors: consent boxes, frames that wait, and the link that opens the
 * widget again.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Attributes of shortcodes and block, with their defaults.
 */
const PLACET_INSERT = array(
	'show'     => 'reopen',
	'text'     => '',
	'src'      => '',
	'title'    => '',
	'width'    => '640',
	'height'   => '360',
	'id'       => '',
	'name'     => '',
	'required' => '',
);

/**
 * Makes shortcodes and the block known.
 */
function placet_register_insert(): void {
	load_plugin_textdomain( 'placet', false, basename( dirname( __DIR__ ) ) . '/languages' );

	foreach ( array( 'reopen', 'frame', 'box', 'contract' ) as $show ) {
		add_shortcode(
			'placet_' . $show,
			static function ( $given ) use ( $show ): string {
				$given = (array) $given;
				// A word without a value.
				if ( in_array( 'required', $given, true ) ) {
					$given['required'] = '1';
				}
				return placet_insert( array( 'show' => $show ) + $given );
			}
		);
	}

	wp_register_script(
		'placet-block',
		plugins_url( 'assets/block.js', __DIR__ ),
		array( 'wp-blocks', 'wp-block-editor', 'wp-components', 'wp-element', 'wp-i18n' ),
		(string) filemtime( dirname( __DIR__ ) . '/assets/block.js' ),
		true
	);
	wp_set_script_translations( 'placet-block', 'placet', dirname( __DIR__ ) . '/languages' );
	$attributes = array();
	foreach ( PLACET_INSERT as $name => $usual ) {
		$attributes[ $name ] = array(
			'type'    => 'string',
			'default' => $usual,
		);
	}
	register_block_type(
		'placet/consent',
		array(
			'api_version'     => 3,
			'title'           => __( 'Consent', 'placet' ),
			'category'        => 'widgets',
			'icon'            => 'privacy',
			'attributes'      => $attributes,
			'editor_script'   => 'placet-block',
			'render_callback' => static function ( $given ): string {
				$html = placet_insert( (array) $given );
				return '' === $html ? '' : '<div ' . get_block_wrapper_attributes() . '>' . $html . '</div>';
			},
		)
	);
}

/**
 * The HTML of a shortcode or block; empty when there is nothing to show.
 *
 * @param array<mixed> $given As of `PLACET_INSERT`.
 */
function placet_insert( array $given ): string {
	$given = array_map( 'trim', array_merge( PLACET_INSERT, array_filter( array_intersect_key( $given, PLACET_INSERT ), 'is_string' ) ) );
	switch ( $given['show'] ) {
		case 'frame':
			return placet_insert_frame( $given );
		case 'box':
		case 'contract':
			if ( ! preg_match( '/^[A-Za-z0-9-]{1,64}$/D', $given['id'] ) ) {
				return '';
			}
			return '<div data-placet-' . ( 'box' === $given['show'] ? 'processing' : 'contract' ) . '="' . esc_attr( $given['id'] ) . '"'
				. ( '' === $given['name'] ? '' : ' data-name="' . esc_attr( $given['name'] ) . '"' )
				. ( '' === $given['required'] ? '' : ' data-required' ) . '></div>';
		default:
			$text = '' === $given['text'] ? __( 'Cookie settings', 'placet' ) : $given['text'];
			return '<a class="placet-reopen" href="#placet">' . esc_html( $text ) . '</a>';
	}
}

/**
 * A frame that waits. Only hosts on the owner's list are framed: some authors must not bring other
 * people's frames into the site. All other addresses become a link.
 *
 * @param array<string, string> $given As of `PLACET_INSERT`.
 */
function placet_insert_frame( array $given ): string {
	// The list is asked about the address as browsers will see it.
	$address = esc_url_raw( $given['src'], array( 'http', 'https' ) );
	if ( '' === $address ) {
		return '';
	}
	$vendor = placet_vendor_of_address( $address );
	if ( null === $vendor ) {
		return '<a href="' . esc_url( $address ) . '">' . esc_html( '' === $given['title'] ? $address : $given['title'] ) . '</a>';
	}
	return '<iframe data-requires-vendor-consent="' . esc_attr( $vendor ) . '" data-src="' . esc_url( $address ) . '" title="' . esc_attr( $given['title'] )
		. '" width="' . absint( $given['width'] ) . '" height="' . absint( $given['height'] ) . '" style="max-width:100%;border:0" allowfullscreen></iframe>';
}
