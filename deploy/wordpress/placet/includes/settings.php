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
 * Leads to it from the list of plugins.
 *
 * @param mixed $links Those of the plugin.
 */
function placet_add_settings_link( $links ) {
	$link = '<a href="' . esc_url( admin_url( 'options-general.php?page=placet' ) ) . '">' . esc_html__( 'Settings', 'placet' ) . '</a>';
	return array_merge( array( 'settings' => $link ), (array) $links );
}

/**
 * Registers the option. `options.php` of WordPress checks nonce and capability before it stores.
 */
function placet_register_settings(): void {
	register_setting(
		'placet',
		'placet',
		array(
			'type'              => 'array',
			'sanitize_callback' => 'placet_clean_options',
		)
	);
}

/**
 * Texts of the form that could not be stored.
 *
 * @return array<string, string>
 */
function placet_typed(): array {
	$stored = get_option( 'placet' );
	return placet_known( is_array( $stored ) ? $stored['typed'] ?? null : null );
}

/**
 * Makes the options of the form's fields. An invalid field leaves its option as it was; its text is kept
 * beside the options, for the form to show again, and the owner is told what is wrong.
 *
 * @param mixed $typed The form's fields.
 * @return array<string, mixed>
 */
function placet_clean_options( $typed ): array {
	$options = placet_options();
	// WordPress cleans a new option twice: texts refused the first time come again.
	$refused = placet_known( is_array( $typed ) ? $typed['typed'] ?? null : null );
	foreach ( placet_known( $typed ) as $key => $text ) {
		list( $value, $wrong ) = placet_clean( $key, trim( $text ) );
		if ( '' === $wrong ) {
			$options[ $key ] = $value;
		} else {
			$refused[ $key ] = $text;
			add_settings_error( 'placet', 'placet-' . $key, esc_html( placet_fields()[ $key ][0] . ': ' . $wrong ) );
		}
	}
	return array() === $refused ? $options : $options + array( 'typed' => $refused );
}

/**
 * A setting as it is to be stored, and what is wrong with it (empty when nothing is).
 *
 * @param string $key  The option's key.
 * @param string $text The text of the field.
 * @return array{string, string}
 */
function placet_clean( string $key, string $text ): array {
	switch ( $key ) {
		case 'url':
		case 'published_url':
			$url  = preg_match( '~^https?://[^\s/?#]+[^\s?#]*$~i', $text ) ? esc_url_raw( $text, array( 'http', 'https' ) ) : '';
			$good = '' === $text || '' !== $url;
			return array( rtrim( $url, '/' ), $good ? '' : __( 'Please enter an address that begins with https://.', 'placet' ) );
		case 'client_id':
			$good = preg_match( '/^[A-Za-z0-9-]{0,64}$/D', $text );
			return array( $text, $good ? '' : __( 'Please enter an id of letters, digits and hyphens.', 'placet' ) );
		case 'cookies_version':
			$good = preg_match( '/^(?:[A-Za-z0-9][A-Za-z0-9_-]{0,63})?$/D', $text );
			return array( $text, $good ? '' : __( 'Please enter a name of letters, digits, hyphens and underscores.', 'placet' ) );
		case 'gated':
		case 'embeds':
			list( $pairs, $broken ) = placet_pairs( $text, 'embeds' === $key );
			$lines                  = array();
			foreach ( $pairs as $name => $vendor ) {
				$lines[] = $name . ' ' . $vendor;
			}
			if ( '' === $broken ) {
				return array( implode( "\n", $lines ), '' );
			}
			return array(
				'',
				'embeds' === $key
					/* translators: %s: a line of a list. */
					? sprintf( __( '“%s” is not a host and the name of a vendor, such as “youtube.com youtube”.', 'placet' ), $broken )
					/* translators: %s: a line of a list. */
					: sprintf( __( '“%s” is not a handle and the name of a vendor, such as “my-theme-stats matomo”.', 'placet' ), $broken ),
			);
		default:
			return array( '' === $text ? '' : '1', '' );
	}
}

/**
 * The fields of the form: name and purpose of each.
 *
 * @return array<string, array{string, string}>
 */
function placet_fields(): array {
	return array(
		'url'             => array( __( 'Address of your Placet', 'placet' ), __( 'Such as https://consent.example, without a path.', 'placet' ) ),
		'client_id'       => array( __( 'Project', 'placet' ), __( 'The id that the page “Install” shows as clientId.', 'placet' ) ),
		'cookies_version' => array( __( 'Cookie configuration', 'placet' ), __( 'Its name. Empty: the configuration in the page’s language, with one more request.', 'placet' ) ),
		'published_url'   => array( __( 'Address of published files', 'placet' ), __( 'Only if it is another one than /cdn of your Placet.', 'placet' ) ),
		'gated'           => array( __( 'Scripts and styles that wait for consent', 'placet' ), __( 'One a line: the handle of a script or a style, or the id of a module, and the name of its vendor, such as “my-theme-stats matomo”.', 'placet' ) ),
		'embeds'          => array( __( 'Embeds that wait for consent', 'placet' ), __( 'One a line: a host and the name of its vendor, such as “youtube.com youtube”. Videos, posts and frames of the host and those below it wait. The configuration must name the vendor.', 'placet' ) ),
		'consent_mode'    => array( __( 'Google Consent Mode', 'placet' ), __( 'Denies all signals before the first tag, and tells each choice.', 'placet' ) ),
		'microsoft'       => array( __( 'Microsoft’s signals', 'placet' ), __( 'Along with consent mode: the same for Universal Event Tracking and Clarity.', 'placet' ) ),
	);
}

/**
 * One row of the form.
 *
 * @param string      $key   The option's key.
 * @param string      $label Its name on the page.
 * @param string      $hint  Its purpose.
 * @param string      $value The stored value.
 * @param string|null $typed The text that could not be stored.
 */
function placet_show_field( string $key, string $label, string $hint, string $value, ?string $typed ): void {
	$id    = 'placet-' . $key;
	$about = ' name="placet[' . $key . ']" id="' . $id . '" aria-describedby="' . $id . '-hint"' . ( null === $typed ? '' : ' aria-invalid="true"' );
	$shown = $typed ?? $value;
	echo '<tr><th scope="row"><label for="' . esc_attr( $id ) . '">' . esc_html( $label ) . '</label></th><td>';
	// phpcs:disable WordPress.Security.EscapeOutput.OutputNotEscaped -- the keys are our own.
	if ( in_array( $key, array( 'gated', 'embeds' ), true ) ) {
		echo '<textarea class="large-text code" rows="5"' . $about . '>' . esc_textarea( $shown ) . '</textarea>';
	} elseif ( in_array( $key, array( 'consent_mode', 'microsoft' ), true ) ) {
		// A box that is not ticked is not sent.
		echo '<input type="hidden" name="placet[' . $key . ']" value=""><input type="checkbox" value="1"' . $about . checked( $shown, '1', false ) . '>';
	} else {
		$type = 'url' === $key || 'published_url' === $key ? 'url' : 'text';
		echo '<input class="regular-text" type="' . $type . '"' . $about . ' value="' . esc_attr( $shown ) . '">';
	}
	// phpcs:enable
	echo '<p class="description" id="' . esc_attr( $id ) . '-hint">' . esc_html( $hint );
	if ( null !== $typed ) {
		/* translators: %s: the value of a setting. */
		echo '<br>' . esc_html( sprintf( __( 'Not saved. In force: %s', 'placet' ), '' === $value ? '–' : $value ) );
	}
	echo '</p></td></tr>';
}

/**
 * The whole page.
 */
function placet_show_settings_page(): void {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}
	$options = placet_options();
	$typed   = placet_typed();
	echo '<div class="wrap"><h1>' . esc_html( get_admin_page_title() ) . '</h1>';
	if ( '' === placet_script_address( $options ) ) {
		echo '<div class="notice notice-warning inline"><p>' . esc_html__( 'The widget is not on your site yet: it needs the address of your Placet and a project.', 'placet' ) . '</p></div>';
	}
	echo '<form method="post" action="options.php">';
	settings_fields( 'placet' );
	echo '<table class="form-table" role="presentation">';
	foreach ( placet_fields() as $key => list( $label, $hint ) ) {
		placet_show_field( $key, $label, $hint, $options[ $key ], $typed[ $key ] ?? null );
	}
	echo '</table>';
	submit_button();
	echo '</form></div>';
}
