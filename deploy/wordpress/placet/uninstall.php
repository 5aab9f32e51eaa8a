<?php
/**
 * Leaves nothing behind.
 *
 * @package Placet
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

delete_option( 'placet' );
