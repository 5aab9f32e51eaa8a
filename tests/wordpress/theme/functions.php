<?php
// Does for the tests what themes and other plugins of a site do.

add_theme_support( 'html5', array( 'script', 'style' ) );
add_theme_support( 'responsive-embeds' );

add_action(
	'wp_enqueue_scripts',
	static function () {
		wp_enqueue_script( 'shop-stats', 'https://stats.example/shop.js', array(), '1', true );
		wp_add_inline_script( 'shop-stats', 'window.before = 1;', 'before' );
		wp_enqueue_script( 'shop-own', get_theme_file_uri( 'own.js' ), array(), '1', true );
		wp_enqueue_style( 'shop-fonts', 'https://fonts.example/letters.css', array(), '1' );
		if ( function_exists( 'wp_enqueue_script_module' ) ) {
			wp_enqueue_script_module( '@shop/counter', 'https://stats.example/counter.js', array(), '1' );
		}
	}
);
// The same as WordPress prints for a module since 6.5.
if ( ! function_exists( 'wp_enqueue_script_module' ) ) {
	add_action(
		'wp_footer',
		static function () {
			wp_print_script_tag(
				array(
					'type' => 'module',
					'src'  => 'https://stats.example/counter.js?ver=1',
					'id'   => '@shop/counter-js-module',
				)
			);
		}
	);
}
// A tag that is early.
add_action(
	'wp_head',
	static function () {
		echo '<script>window.early = JSON.stringify((window.dataLayer || []).map(function (entry) { return [].slice.call(entry); }));</script>';
	},
	-5
);
