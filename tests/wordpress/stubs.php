<?php
// The functions of WordPress that the plugin calls, as far as it needs them: hooks are kept,
// options are in memory, escaping is what WordPress does to such texts.

define( 'ABSPATH', __DIR__ . '/' );

$hooks   = array();
$options = array();

function add_action( $name, $callback, $priority = 10, $arguments = 1 ) {
	global $hooks;
	$hooks[ $name ][ $priority ][] = array( $callback, $arguments );
}
function add_filter( $name, $callback, $priority = 10, $arguments = 1 ) {
	add_action( $name, $callback, $priority, $arguments );
}
function apply_filters( $name, $value, ...$more ) {
	global $hooks;
	$by_priority = $hooks[ $name ] ?? array();
	ksort( $by_priority );
	foreach ( array_merge( ...$by_priority ) as list( $callback, $arguments ) ) {
		$value = $callback( ...array_slice( array( $value, ...$more ), 0, $arguments ) );
	}
	return $value;
}
function do_action( $name, ...$values ) {
	global $hooks;
	$by_priority = $hooks[ $name ] ?? array();
	ksort( $by_priority );
	foreach ( array_merge( ...$by_priority ) as list( $callback, $arguments ) ) {
		$callback( ...array_slice( $values, 0, $arguments ) );
	}
}
function get_option( $name, $otherwise = false ) {
	global $options;
	return $options[ $name ] ?? $otherwise;
}
function delete_option( $name ) {
	global $options;
	unset( $options[ $name ] );
}
function esc_html( $text ) {
	return htmlspecialchars( (string) $text, ENT_QUOTES, 'UTF-8' );
}
function esc_attr( $text ) {
	return esc_html( $text );
}
function esc_textarea( $text ) {
	return esc_html( $text );
}
function esc_url_raw( $url, $protocols = array() ) {
	$url = preg_replace( '/[^a-z0-9-~+_.?#=!&;,\/:%@$|*\'()\[\]\x80-\xff]/i', '', $url );
	return preg_match( '/^(' . implode( '|', $protocols ) . '):\/\//i', $url ) ? $url : '';
}
function esc_url( $url ) {
	return str_replace( array( '&', "'" ), array( '&#038;', '&#039;' ), esc_url_raw( $url, array( 'http', 'https' ) ) );
}
function wp_unslash( $value ) {
	return is_array( $value ) ? array_map( 'wp_unslash', $value ) : stripslashes( $value );
}
function wp_json_encode( $value, $flags = 0 ) {
	return json_encode( $value, $flags );
}
function wp_attributes( $attributes ) {
	$html = '';
	foreach ( $attributes as $name => $value ) {
		$html .= true === $value ? " $name" : " $name=\"" . esc_attr( $value ) . '"';
	}
	return $html;
}
function wp_print_script_tag( $attributes ) {
	echo '<script' . wp_attributes( $attributes ) . "></script>\n";
}
function wp_print_inline_script_tag( $script, $attributes = array() ) {
	echo '<script' . wp_attributes( $attributes ) . ">\n$script\n</script>\n";
}
function is_admin() {
	return ! empty( $GLOBALS['in_admin'] );
}
function current_user_can( $capability ) {
	global $can;
	return in_array( $capability, $can ?? array(), true );
}
function add_options_page( $title, $menu, $capability, $slug, $callback ) {
	global $pages;
	$pages[ $slug ] = array( $capability, $callback );
}
function register_setting( $group, $name, $about ) {
	global $registered;
	$registered[ $group ][ $name ] = $about;
}
function settings_fields( $group ) {
	echo '<input type="hidden" name="option_page" value="' . esc_attr( $group ) . '"><input type="hidden" name="_wpnonce" value="nonce-of-' . esc_attr( $group ) . '">';
}
function submit_button() {
	echo '<button type="submit">Save Changes</button>';
}
function get_admin_page_title() {
	return 'Placet';
}
function __( $text, $domain ) {
	return $text;
}
