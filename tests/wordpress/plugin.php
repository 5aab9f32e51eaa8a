<?php
// Tests of the WordPress plugin: `php plugin.php` prints a line for each and fails with the first.

require __DIR__ . '/stubs.php';
$in_admin = true;
require __DIR__ . '/../../deploy/wordpress/placet/placet.php';
$in_admin = false;

function same( $expected, $actual, string $what ): void {
	if ( $expected !== $actual ) {
		fwrite( STDERR, "✗ $what\nexpected: " . var_export( $expected, true ) . "\nactual:   " . var_export( $actual, true ) . "\n" );
		exit( 1 );
	}
	echo "✓ $what\n";
}
function printed( callable $callback ): string {
	ob_start();
	$callback();
	return ob_get_clean();
}

$now    = strtotime( '2026-06-01T12:00:00Z' );
$choice = static function ( array $with ) use ( $now ): array {
	$cookie = array_merge(
		array( 'matomo' => true, 'youtube' => false, '$$completed' => true, '$$projectId' => 'p1', '$$duration' => 180, '$$date' => gmdate( 'Y-m-d\TH:i:s.000\Z', $now - 3600 ), '$$gpc' => false ),
		$with
	);
	return array( 'placet_cookies' => json_encode( $cookie ) );
};
$read = static function ( array $cookies ) use ( $now ): array {
	return placet_read_choices( $cookies, 'p1', $now );
};

same( array( 'matomo' => true, 'youtube' => false ), $read( $choice( array() ) ), 'a choice is read, without what is about it' );
same( array(), $read( array() ), 'without a cookie nothing is allowed' );
same( array(), $read( $choice( array( '$$projectId' => 'other' ) ) ), 'a choice of another project does not count' );
same( array(), $read( $choice( array( '$$completed' => false ) ) ), 'a choice that is not made does not count' );
same( array(), $read( $choice( array( '$$duration' => 0.01 ) ) ), 'an old choice does not count' );
same( array(), $read( $choice( array( '$$date' => '2038-01-01T00:00:00.000Z' ) ) ), 'a choice of the future does not count' );
same( array(), $read( $choice( array( '$$date' => array() ) ) ), 'a date that is none does not count' );
foreach ( array( '', 'null', '1', '"x"', '[', '{"matomo":true}', str_repeat( '[', 9000 ) ) as $broken ) {
	same( array(), $read( array( 'placet_cookies' => $broken ) ), 'a broken cookie allows nothing: ' . substr( $broken, 0, 20 ) );
}
same( array(), $read( array( 'placet_cookies' => array( 'matomo' => '1' ) ) ), 'a cookie that is a list allows nothing' );
same( array( 'matomo' => false, 'youtube' => false ), $read( $choice( array( 'matomo' => false, 'evil' => 'true' ) ) ), 'only true is true' );
$large = $choice( array() );
$large = array( 'placet_cookies' => json_encode( array_filter( json_decode( $large['placet_cookies'], true ), static fn( $key ) => '$' === $key[0], ARRAY_FILTER_USE_KEY ) ), 'placet_all_vendors' => ',a,b,c,', 'placet_authorized_vendors' => ',b,' );
same( array( 'a' => false, 'b' => true, 'c' => false ), $read( $large ), 'a choice too large for its cookie is read from the lists' );
same( array(), $read( array( 'placet_authorized_vendors' => ',b,' ) ), 'a list alone allows nothing' );

$options['placet'] = array( 'url' => 'https://consent.example', 'client_id' => 'p1', 'cookies_version' => 'shop-en' );
$_COOKIE           = array_map( 'addslashes', $choice( array( '$$date' => gmdate( 'c' ) ) ) );
same( true, placet_has_consent( 'matomo' ), 'placet_has_consent of a vendor that is allowed, from a cookie as WordPress gives it' );
same( false, placet_has_consent( 'youtube' ), 'placet_has_consent of one that is not' );
same( false, placet_has_consent( 'nobody' ), 'placet_has_consent of one that nobody knows' );
same( true, placet_has_answered(), 'placet_has_answered' );
$_COOKIE = array( 'my_choice' => $_COOKIE['placet_cookies'] );
same( false, placet_has_answered(), 'a cookie of another name is somebody else\'s' );
add_filter( 'placet_settings', static fn( $settings ) => array_merge( $settings, array( 'jsonCookieName' => 'my.choice' ) ) );
same( true, placet_has_consent( 'matomo' ), 'a cookie that the settings rename is read' );
unset( $hooks['placet_settings'] );

foreach ( array( 'wp_head', 'login_head' ) as $place ) {
	same( array( 1 ), array_keys( $hooks[ $place ] ), "the snippet stands before what others print: $place" );
}
$head = static function (): string {
	return printed( static fn() => do_action( 'wp_head' ) );
};
same(
	"<script id=\"placet-settings\">\nwindow.placetSettings = {\"clientId\":\"p1\",\"cookiesVersion\":\"shop-en\"};\n</script>\n<script id=\"placet-sdk\" src=\"https://consent.example/cdn/p1/shop-en.js\" async></script>\n",
	$head(),
	'the snippet with a bundle'
);
$options['placet']['published_url'] = 'https://cdn.example/x';
same( true, false !== strpos( $head(), 'src="https://cdn.example/x/p1/shop-en.js"' ), 'published files somewhere else' );
$options['placet']['cookies_version'] = '';
same( true, false !== strpos( $head(), 'src="https://consent.example/sdk.js"' ), 'without a configuration the SDK that finds one' );
add_filter( 'placet_settings', static fn( $settings ) => array_merge( $settings, array( 'token' => '</script><script>alert(1)//&' ) ) );
same( 2, substr_count( $head(), '</script>' ), 'no setting ends the script' );
$options['placet'] = 'broken';
same( '', $head(), 'nothing is printed until it is set up' );

same(
	array( 'url' => 'https://consent.example', 'client_id' => 'p1', 'cookies_version' => '', 'published_url' => '', 'gated' => "my-stats matomo\nfilm youtube" ),
	placet_clean_options( array( 'url' => ' https://consent.example/ ', 'client_id' => 'p1', 'cookies_version' => '../x', 'published_url' => 'javascript:alert(1)', 'gated' => "my-stats matomo\r\n<script> x\nfilm = youtube\nbroken", 'more' => 'x' ) ),
	'what is typed is cleaned'
);
same( array( 'url' => '', 'client_id' => '', 'cookies_version' => '', 'published_url' => '', 'gated' => '' ), placet_clean_options( 'x' ), 'what is no form is nothing' );

$options['placet'] = array( 'gated' => "my-stats matomo\nfilm youtube" );
$gate              = static fn( string $tag, string $handle ): string => apply_filters( 'script_loader_tag', $tag, $handle, 'src' );
same( '<script type="text/plain" data-requires-vendor-consent="matomo" src="/a.js" id="a"></script>', $gate( '<script type="text/javascript" src="/a.js" id="a"></script>', 'my-stats' ), 'a script waits' );
same( '<script type="text/plain" data-requires-vendor-consent="youtube" data-type="module" src="/a.js"></script>', $gate( "<script type='module' src=\"/a.js\"></script>", 'film' ), 'a module waits and stays one' );
$in_admin = true;
same( '<script src="/a.js"></script>', $gate( '<script src="/a.js"></script>', 'my-stats' ), 'in the back office, where no widget is, nothing waits' );
$in_admin = false;
same( '<script src="/b.js"></script>', $gate( '<script src="/b.js"></script>', 'other' ), 'others do not wait' );

do_action( 'admin_menu' );
do_action( 'admin_init' );
same( 'placet_clean_options', $registered['placet']['placet']['sanitize_callback'], 'what is stored is cleaned' );
same( 'manage_options', $pages['placet'][0], 'the page is for those who may set options' );
same( '', printed( $pages['placet'][1] ), 'and shows nothing to others' );
$can               = array( 'manage_options' );
$options['placet'] = array( 'url' => '"><script>alert(1)</script>', 'gated' => '</textarea><script>' );
$html              = printed( $pages['placet'][1] );
same( false, strpos( $html, '<script' ), 'nothing that is stored can be markup' );
same( true, false !== strpos( $html, 'name="_wpnonce"' ) && false !== strpos( $html, 'action="options.php"' ), 'the form has its nonce' );
define( 'WP_UNINSTALL_PLUGIN', 'placet/placet.php' );
require __DIR__ . '/../../deploy/wordpress/placet/uninstall.php';
same( false, get_option( 'placet' ), 'uninstalling leaves nothing' );
