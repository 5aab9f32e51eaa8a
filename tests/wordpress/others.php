<?php
// Stand-ins for others whom the plugin works with: the sites that tell WordPress what to embed, and the
// public functions of the plugin “WP Consent API”.

// Every notice of PHP or WordPress about the plugin is an error. Notices about an old WordPress are not.
set_error_handler(
	static function ( $level, $text, $file ) {
		if ( false !== strpos( $file, '/plugins/placet/' ) || false !== strpos( $text, 'placet' ) ) {
			throw new Exception( $text . ' in ' . $file );
		}
		return true;
	}
);

add_filter(
	'pre_http_request',
	static function ( $answer, $arguments, $url ) {
		if ( false === strpos( $url, '/oembed' ) ) {
			return $answer;
		}
		parse_str( (string) wp_parse_url( $url, PHP_URL_QUERY ), $query );
		$html = array(
			'www.youtube.com' => '<iframe width="500" height="281" src="https://www.youtube.com/embed/film?feature=oembed" frameborder="0" allowfullscreen title="A film"></iframe>',
			'twitter.com'     => '<blockquote class="twitter-tweet"><p>Words</p></blockquote><script async src="https://platform.twitter.com/widgets.js" charset="utf-8"></script>',
			'www.flickr.com'  => '<a href="https://www.flickr.com/photos/somebody/1"><img src="https://pictures.example/1.jpg" alt="A picture"></a>',
		)[ wp_parse_url( $query['url'], PHP_URL_HOST ) ];
		return array(
			'headers'  => array(),
			'body'     => wp_json_encode( array( 'version' => '1.0', 'type' => 'video', 'width' => 500, 'height' => 281, 'html' => $html ) ),
			'response' => array( 'code' => 200, 'message' => 'OK' ),
			'cookies'  => array(),
			'filename' => null,
		);
	},
	10,
	3
);

add_filter(
	'locale',
	static function ( $locale ) {
		return get_option( 'test_locale' ) ?: $locale;
	}
);

if ( get_option( 'test_consent_api' ) ) {
	function wp_get_consent_type() {
		return apply_filters( 'wp_get_consent_type', false );
	}
	function wp_has_consent( $category, $requested_by = false ) {
		$has = ! wp_get_consent_type() || 'allow' === ( $_COOKIE[ 'wp_consent_' . $category ] ?? '' );
		return apply_filters( 'wp_has_consent', $has, $category, $requested_by );
	}
	add_action(
		'wp_enqueue_scripts',
		static function () {
			wp_register_script( 'wp-consent-api', '', array(), '1', true );
			wp_enqueue_script( 'wp-consent-api' );
			wp_add_inline_script(
				'wp-consent-api',
				'window.wp_fallback_consent_type = ' . wp_json_encode( wp_get_consent_type() ) . ';
				function wp_has_consent(category) { return document.cookie.split("; ").indexOf("wp_consent_" + category + "=allow") >= 0; }
				function wp_set_consent(category, value) { document.cookie = "wp_consent_" + category + "=" + value + ";path=/"; }'
			);
		}
	);
}
