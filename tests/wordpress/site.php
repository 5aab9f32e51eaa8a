<?php
// A page of a site with the plugin, for `php -S`: set up by the environment, saying what PHP reads.

require __DIR__ . '/stubs.php';
require __DIR__ . '/../../deploy/wordpress/placet/placet.php';

if ( '/' !== parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) ) {
	http_response_code( 404 );
	return;
}
// As WordPress does before plugins see them.
$_COOKIE           = array_map( 'addslashes', $_COOKIE );
$options['placet'] = placet_clean_options( json_decode( getenv( 'PLACET_OPTIONS' ), true ) );

echo '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A site of WordPress</title>';
do_action( 'wp_head' );
echo apply_filters( 'script_loader_tag', '<script src="data:text/javascript,window.ran=1"></script>', 'my-stats', '' );
echo '</head><body><p id="stats">' . ( placet_has_consent( 'stats' ) ? 'yes' : 'no' ) . '</p><p id="ads">' . ( placet_has_consent( 'ads' ) ? 'yes' : 'no' ) . '</p></body></html>';
