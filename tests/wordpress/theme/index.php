<!doctype html>
<html <?php language_attributes(); ?>>
<head><meta charset="utf-8"><?php wp_head(); ?></head>
<body <?php body_class(); ?>>
<?php
while ( have_posts() ) {
	the_post();
	the_content();
}
foreach ( array( 'stats', 'ads' ) as $vendor ) {
	echo '<p id="' . $vendor . '">' . ( function_exists( 'placet_has_consent' ) && placet_has_consent( $vendor ) ? 'yes' : 'no' ) . '</p>';
}
foreach ( function_exists( 'wp_has_consent' ) ? array( 'functional', 'statistics', 'marketing' ) : array() as $category ) {
	echo '<p id="' . $category . '">' . ( wp_has_consent( $category ) ? 'yes' : 'no' ) . '</p>';
}
wp_footer();
?>
</body>
</html>
