<?php
// Prints the template for translations, made of the plugin's sources. To make it anew, run from the
// root of the repository: php tests/wordpress/pot.php > deploy/wordpress/placet/languages/placet.pot

$folder  = dirname( __DIR__, 2 ) . '/deploy/wordpress/placet/';
$entries = array();
$add     = static function ( string $text, string $file, string $comment = '' ) use ( &$entries ): void {
	$entries[ $text ]['files'][ $file ] = true;
	$entries[ $text ]['comment']        = $comment;
};

foreach ( array( 'Plugin Name', 'Description' ) as $name ) {
	preg_match( '/^ \* ' . $name . ':\s+(.+)$/m', file_get_contents( $folder . 'placet.php' ), $found );
	$add( $found[1], 'placet.php', $name . ' of the plugin' );
}
foreach ( array_merge( glob( $folder . 'includes/*.php' ), glob( $folder . 'assets/*.js' ) ) as $path ) {
	$calls = preg_match_all( "/(?:\/\* (translators: [^*]+) \*\/\s*[^\n]*?)?\b(?:esc_html|esc_attr)?__\(\s*'((?:[^'\\\\]|\\\\.)*)', 'placet' \)|__\('((?:[^'\\\\]|\\\\.)*)', 'placet'\)/", file_get_contents( $path ), $found, PREG_SET_ORDER );
	foreach ( $found as $call ) {
		$add( stripslashes( $call[3] ?? $call[2] ), substr( $path, strlen( $folder ) ), $call[1] );
	}
}

echo "# Texts of the plugin Placet, for translators. Apache-2.0, as the plugin.\nmsgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: Placet\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Content-Transfer-Encoding: 8bit\\n\"\n\"X-Domain: placet\\n\"\n";
foreach ( $entries as $text => $entry ) {
	echo "\n", '' === $entry['comment'] ? '' : '#. ' . $entry['comment'] . "\n", '#: ', implode( ' ', array_keys( $entry['files'] ) ), "\nmsgid \"", addcslashes( $text, "\"\\\n" ), "\"\nmsgstr \"\"\n";
}
