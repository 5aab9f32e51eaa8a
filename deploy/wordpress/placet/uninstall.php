<?php
/**
 * Leaves nothing behind.
 *
 * @package Placet
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

delete_option( 'placet' );

if ( is_multisite() ) {
	foreach ( get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	) as $placet_site ) {
		delete_blog_option( $placet_site, 'placet' );
	}
}
