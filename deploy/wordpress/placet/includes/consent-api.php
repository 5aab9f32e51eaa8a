<?php
/**
 * Answers to other plugins, by the plugin “WP Consent API”.
 *
 * @package Placet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Tells the API in browsers of each choice. A category is allowed when a service of its kind is allowed
 * and none is refused. After a choice has run out, nothing stays allowed.
 */
const PLACET_CONSENT_API = <<<'JS'
(function () {
  window.wp_consent_type = 'optin';
  document.dispatchEvent(new CustomEvent('wp_consent_type_defined'));
  function tell(signals) {
    function word() {
      var words = [].map.call(arguments, function (name) { return signals[name]; });
      return words.indexOf('granted') >= 0 && words.indexOf('denied') < 0 ? 'allow' : 'deny';
    }
    wp_set_consent('functional', 'allow');
    wp_set_consent('preferences', word('functionality_storage', 'personalization_storage'));
    wp_set_consent('statistics-anonymous', word('analytics_storage'));
    wp_set_consent('statistics', word('analytics_storage'));
    wp_set_consent('marketing', word('ad_storage'));
  }
  (window._placet = window._placet || []).push(function (sdk) {
    sdk.on('consent:signals', tell);
    sdk.on('ready', function () {
      var choices = sdk.getChoices();
      var is_allowed = Object.keys(choices).some(function (vendor) { return choices[vendor]; });
      if (!is_allowed && ['preferences', 'statistics-anonymous', 'statistics', 'marketing'].some(wp_has_consent)) tell({});
    });
  });
})();
JS;

/**
 * Visitors are asked first.
 *
 * @param mixed $type As of others.
 */
function placet_consent_type( $type ) {
	return '' === placet_script_address( placet_options() ) ? $type : 'optin';
}

/**
 * Answers in PHP: a category is allowed only with a choice that is in force, even where the cookie of
 * the API says more. Functional cookies need no choice.
 *
 * @param mixed $has      What the API has read.
 * @param mixed $category The category.
 */
function placet_answer_consent_api( $has, $category ) {
	if ( '' === placet_script_address( placet_options() ) ) {
		return $has;
	}
	return 'functional' === $category || ( $has && placet_has_answered() );
}

/**
 * Puts the lines behind the API's own script.
 */
function placet_tell_consent_api(): void {
	if ( '' !== placet_script_address( placet_options() ) ) {
		// WordPress adds nothing if there is no such script.
		wp_add_inline_script( 'wp-consent-api', PLACET_CONSENT_API );
	}
}
