<?php
// Tests of the plugin inside WordPress, beside those in the browser: prints a line for each and ends
// with the first that fails.

foreach ( array( 'template', 'plugin', 'class-wp-screen', 'screen' ) as $file ) {
	require_once ABSPATH . 'wp-admin/includes/' . $file . '.php';
}
require_once WP_PLUGIN_DIR . '/placet/includes/settings.php';

function same( $expected, $actual, string $what ): void {
	if ( $expected !== $actual ) {
		exit( "✗ $what\nexpected: " . var_export( $expected, true ) . "\nactual:   " . var_export( $actual, true ) . "\n" );
	}
	echo '✓ ' . str_replace( "\n", ' ', $what ) . "\n";
}
function printed( callable $callback ): string {
	ob_start();
	$callback();
	return ob_get_clean();
}
function set( $options ): void {
	update_option( 'placet', $options );
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

$good = array( 'url' => 'https://consent.example', 'client_id' => 'p1', 'cookies_version' => 'shop-en' );
set( $good );
// As WordPress gives it.
$send = static function ( array ...$all ): void {
	$pairs = array();
	foreach ( $all as $cookies ) {
		foreach ( $cookies as $name => $value ) {
			$pairs[] = $name . '=' . rawurlencode( $value );
		}
	}
	$_SERVER['HTTP_COOKIE'] = addslashes( implode( '; ', $pairs ) );
};
$today = $choice( array( '$$date' => gmdate( 'c' ) ) );
$send( $today );
same( true, placet_has_consent( 'matomo' ), 'placet_has_consent of a vendor that is allowed, from a cookie as WordPress gives it' );
same( false, placet_has_consent( 'youtube' ), 'placet_has_consent of one that is not' );
same( false, placet_has_consent( 'nobody' ), 'placet_has_consent of one that nobody knows' );
same( true, placet_has_answered(), 'placet_has_answered' );
$send( array( 'a' => '1' ), $choice( array( 'matomo' => false, '$$date' => gmdate( 'c' ) ) ), $today );
same( true, placet_has_consent( 'matomo' ), 'of two cookies with one name the later counts, as in the browser' );
$send( array( 'my.choice' => $today['placet_cookies'] ) );
same( false, placet_has_answered(), 'a cookie of another name is somebody else\'s' );
add_filter( 'placet_settings', static fn( $settings ) => array_merge( $settings, array( 'jsonCookieName' => 'my.choice' ) ) );
same( true, placet_has_consent( 'matomo' ), 'a cookie that the settings rename is read' );
remove_all_filters( 'placet_settings' );

foreach ( array( 'wp_head', 'login_head' ) as $place ) {
	same( PHP_INT_MIN, has_action( $place, 'placet_print_snippet' ), "the snippet stands before what others print: $place" );
}
$head = static fn(): string => printed( 'placet_print_snippet' );
same( true, false !== strpos( $head(), 'window.placetSettings = {"clientId":"p1","cookiesVersion":"shop-en"};' ), 'the settings' );
// WordPress has changed the order of attributes.
same( 1, preg_match( '~<script(?=[^>]* async)(?=[^>]* src="https://consent.example/cdn/p1/shop-en.js")[^>]*></script>~', $head() ), 'the snippet with a bundle' );
same( false, strpos( $head(), 'consent-mode' ), 'without consent mode there are no defaults' );
set( $good + array( 'published_url' => 'https://cdn.example/x' ) );
same( true, false !== strpos( $head(), 'src="https://cdn.example/x/p1/shop-en.js"' ), 'published files somewhere else' );
set( array( 'cookies_version' => '' ) + $good );
same( true, false !== strpos( $head(), 'src="https://consent.example/sdk.js"' ), 'without a configuration the SDK that finds one' );
add_filter( 'placet_settings', static fn( $settings ) => array_merge( $settings, array( 'token' => '</script><script>alert(1)//&' ) ) );
same( 2, substr_count( $head(), '</script>' ), 'no setting ends the script' );
remove_all_filters( 'placet_settings' );
set( $good + array( 'consent_mode' => '1' ) );
add_filter( 'placet_consent_mode', static fn() => array( 'urlPassthrough' => true, 'region' => array( 'FR', '</script>' ), 'waitForUpdate' => 200 ) );
same( true, false !== strpos( $head(), '"wait_for_update":200,"region":["FR","\u003C/script\u003E"]});' . "\n" . "gtag('set', 'ads_data_redaction', true);\ngtag('set', 'url_passthrough', true);" ), 'a filter says what is special about consent mode' );
remove_all_filters( 'placet_consent_mode' );
set( 'broken' );
same( '', $head(), 'nothing is printed until it is set up' );
set( array( 'url' => array( 'x' ), 'client_id' => 1 ) );
same( '', $head(), 'options of another kind are none' );

$clean = static fn( $typed ) => placet_clean_options( $typed );
set( $good );
same(
	array( 'url' => 'https://new.example', 'client_id' => 'p1', 'cookies_version' => 'shop-en', 'published_url' => '', 'gated' => "my-stats matomo\n@shop/film youtube", 'embeds' => "youtube.com youtube\nfilms.example films", 'consent_mode' => '', 'microsoft' => '1' ),
	$clean( array( 'url' => ' https://new.example/ ', 'gated' => "my-stats matomo\r\n\r\n @shop/film = youtube", 'embeds' => "https://www.YouTube.com/ YouTube\nfilms.example films", 'consent_mode' => '', 'microsoft' => '1', 'more' => 'x' ) ),
	'what is typed is cleaned'
);
same( array(), get_settings_errors( 'placet' ), 'and nothing is wrong with it' );
same( placet_options(), $clean( 'x' ), 'what is no form changes nothing' );
foreach ( array( 'url' => array( 'consent.example', 'javascript:alert(1)', 'https://', 'https://consent.example/?x' ), 'client_id' => array( 'p 1' ), 'cookies_version' => array( '../x' ), 'gated' => array( "my-stats matomo\n<script> x" ), 'embeds' => array( 'youtube youtube' ) ) as $key => $all ) {
	foreach ( $all as $text ) {
		$GLOBALS['wp_settings_errors'] = array();
		same( placet_options() + array( 'typed' => array( $key => $text ) ), $clean( array( $key => $text ) ), "what cannot be meant is kept for the form alone: $text" );
		same( array( 'placet-' . $key ), array_column( get_settings_errors( 'placet' ), 'code' ), 'and it says so' );
	}
}
$once = $clean( array( 'client_id' => 'p 1' ) );
same( $once, $clean( $once ), 'what is cleaned twice is the same' );

set( $good + array( 'gated' => "my-stats matomo\nfilm youtube" ) );
$gate = static fn( string $tag, string $handle = 'my-stats' ): string => apply_filters( 'script_loader_tag', $tag, $handle, 'src' );
same( '<script type="text/plain" data-requires-vendor-consent="matomo" src="/a.js" id="a"></script>', $gate( '<script type="text/javascript" src="/a.js" id="a"></script>' ), 'a script waits' );
same( '<script type="text/plain" data-requires-vendor-consent="youtube" data-type="module" src="/a.js"></script>', $gate( "<script type='module' src=\"/a.js\"></script>", 'film' ), 'a module waits and stays one' );
same( '<script>var a = "<iframe src=x>";</script>', str_replace( ' type="text/plain" data-requires-vendor-consent="matomo"', '', $gate( '<script>var a = "<iframe src=x>";</script>' ) ), 'what a script says is its own' );
foreach ( array( '<script type="application/json">{}</script>', '<script type="text/plain" data-requires-vendor-consent="x" src="/a.js"></script>', '<!-- <script src="/a.js"></script> -->' ) as $tag ) {
	same( $tag, $gate( $tag ), "what runs nothing, or waits already, stays: $tag" );
}
same( '<script src="/b.js"></script>', $gate( '<script src="/b.js"></script>', 'other' ), 'others do not wait' );
same( "<link data-requires-vendor-consent=\"matomo\" rel='stylesheet' data-href='/a.css' title='a href=b' />", apply_filters( 'style_loader_tag', "<link rel='stylesheet' href='/a.css' title='a href=b' />", 'my-stats', '/a.css', 'all' ), 'a style waits' );

$film = '<iframe src="https://www.youtube.com/embed/1" title="src=\'x\' > y"></iframe>';
$wait = '<iframe data-requires-vendor-consent="youtube" data-src="https://www.youtube.com/embed/1" title="src=\'x\' > y"></iframe>';
same( $wait, placet_gate_content( $film ), 'a frame of a host waits' );
same( $wait, placet_gate_content( $wait ), 'once' );
foreach ( array( '<iframe title=" src=/x" src="%s"></iframe>', '<iframe title=x src=%s></iframe>', "<IFRAME\nSRC = '%s'></IFRAME>", '<img src="/x" srcset="%s 2x">', '<script async src="%s"></script>' ) as $tag ) {
	$html = placet_gate_content( sprintf( $tag, 'https://www.youtube.com/1' ) );
	same( 1, substr_count( $html, ' data-requires-vendor-consent="youtube"' ), "however a tag is written, it waits: $tag" );
	same( 0, preg_match( '~(?<!data-)(?:src|srcset)\s*=\s*.https~i', str_replace( 'plain" data-requires-vendor-consent="youtube" async src', '', $html ) ), 'and loads nothing' );
}
foreach ( array( 'https://notyoutube.com/1', 'https://youtube.com.example/1', '/youtube.com', 'about:blank', '' ) as $address ) {
	same( null, placet_vendor_of_address( $address ), "of other hosts none waits: $address" );
}
same( 'youtube', placet_vendor_of_address( '//M.YouTube.com:443/1' ), 'names of hosts are written in many ways' );
set( $good + array( 'embeds' => '' ) );
same( $film, placet_gate_content( $film ), 'where the owner wants no host to wait, none does' );
set( array() );
same( $film, placet_gate_content( $film ), 'nor before the widget is there' );
set( $good + array( 'gated' => 'my-stats matomo' ) );
set_current_screen( 'dashboard' );
same( '<script src="/a.js"></script>', $gate( '<script src="/a.js"></script>' ), 'in the back office, where no widget is, nothing waits' );
same( $film, placet_gate_content( $film ), 'nor do embeds' );
add_filter( 'wp_doing_ajax', '__return_true' );
$_SERVER['HTTP_REFERER'] = home_url( '/?p=1' );
same( $wait, placet_gate_content( $film ), 'what a page of the site fetches waits' );
$_SERVER['HTTP_REFERER'] = admin_url( 'post-new.php' );
same( $film, placet_gate_content( $film ), 'what the back office fetches does not' );
remove_filter( 'wp_doing_ajax', '__return_true' );
set_current_screen( 'front' );

foreach ( array( array( 'show' => 'box', 'id' => '"><script>' ), array( 'show' => 'frame', 'src' => 'javascript:alert(1)' ), array( 'show' => 'frame' ) ) as $given ) {
	same( '', placet_insert( $given ), 'what says nothing that can be shown is nothing: ' . wp_json_encode( $given ) );
}
$evil = '"><script>alert(1)</script>';
foreach ( array( 'box', 'contract', 'frame', 'reopen' ) as $kind ) {
	$html = placet_insert( array( 'show' => $kind, 'id' => 'b1', 'src' => 'https://youtube.com/' . $evil, 'title' => $evil, 'text' => $evil, 'name' => $evil, 'width' => $evil ) );
	same( false, strpos( $html, '<script' ), "nothing of an author's can be markup: $kind" );
}
foreach ( array( 'https://youtube.com\\@evil.example/', 'https://youtube.com@evil.example/', '//evil.example#youtube.com' ) as $address ) {
	same( false, strpos( placet_insert( array( 'show' => 'frame', 'src' => $address ) ), '<iframe' ), "no other host is framed: $address" );
}
same( '<a href="https://evil.example/x">A film</a>', placet_insert( array( 'show' => 'frame', 'src' => 'https://evil.example/x', 'title' => 'A film' ) ), 'hosts that are not on the owner\'s list are not framed' );

wp_set_current_user( 0 );
same( '', printed( 'placet_show_settings_page' ), 'the page shows nothing to those who may not set options' );
wp_set_current_user( 1 );
$GLOBALS['title'] = 'Placet';
set( array( 'url' => '"><script>alert(1)</script>', 'gated' => '</textarea><script>', 'typed' => array( 'client_id' => '"><script>' ) ) );
same( false, strpos( printed( 'placet_show_settings_page' ), '<script' ), 'nothing that is stored can be markup' );
delete_option( 'placet' );
