<?php
/**
 * The page in the admin area.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Puts it below “Settings”.
 */
function placet_add_settings_page(): void {
	add_options_page( 'Placet', 'Placet', 'manage_options', 'placet', 'placet_show_settings_page' );
}

/**
 * Says what may be stored. `options.php` of WordPress checks nonce and right before it does.
 */
function placet_register_settings(): void {
	register_setting(
		'placet',
		'placet',
		array(
			'type'              => 'array',
			'sanitize_callback' => 'placet_clean_options',
			'default'           => array(),
		)
	);
}

/**
 * One row of the form.
 *
 * @param string $key   Of the option.
 * @param string $label What it is called.
 * @param string $hint  What it is for.
 * @param string $value What it is.
 */
function placet_show_field( string $key, string $label, string $hint, string $value ): void {
	$id = 'placet-' . $key;
	echo '<tr><th scope="row"><label for="' . esc_attr( $id ) . '">' . esc_html( $label ) . '</label></th><td>';
	if ( 'gated' === $key ) {
		echo '<textarea class="large-text code" rows="5" name="placet[gated]" id="' . esc_attr( $id ) . '" aria-describedby="' . esc_attr( $id ) . '-hint">' . esc_textarea( $value ) . '</textarea>';
	} else {
		$type = 'url' === $key || 'published_url' === $key ? 'url' : 'text';
		echo '<input class="regular-text" type="' . esc_attr( $type ) . '" name="placet[' . esc_attr( $key ) . ']" id="' . esc_attr( $id ) . '" value="' . esc_attr( $value ) . '" aria-describedby="' . esc_attr( $id ) . '-hint">';
	}
	echo '<p class="description" id="' . esc_attr( $id ) . '-hint">' . esc_html( $hint ) . '</p></td></tr>';
}

/**
 * The whole page.
 */
function placet_show_settings_page(): void {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}
	$options = placet_options();
	echo '<div class="wrap"><h1>' . esc_html( get_admin_page_title() ) . '</h1><form method="post" action="options.php">';
	settings_fields( 'placet' );
	echo '<table class="form-table" role="presentation">';
	placet_show_field( 'url', __( 'Address of your Placet', 'placet' ), __( 'Such as https://consent.example, without a path.', 'placet' ), $options['url'] );
	placet_show_field( 'client_id', __( 'Project', 'placet' ), __( 'The id that the page “Install” shows as clientId.', 'placet' ), $options['client_id'] );
	placet_show_field( 'cookies_version', __( 'Cookie configuration', 'placet' ), __( 'Its name. Empty: the one in the page’s language, with one more request.', 'placet' ), $options['cookies_version'] );
	placet_show_field( 'published_url', __( 'Address of published files', 'placet' ), __( 'Only if it is another one than /cdn of your Placet.', 'placet' ), $options['published_url'] );
	placet_show_field( 'gated', __( 'Scripts that wait for consent', 'placet' ), __( 'One a line: the handle of a script and the name of its vendor, such as “my-theme-stats matomo”.', 'placet' ), $options['gated'] );
	echo '</table>';
	submit_button();
	echo '</form></div>';
}
