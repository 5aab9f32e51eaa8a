___TERMS_OF_SERVICE___

By creating or modifying this file you agree to Google Tag Manager's Community
Template Gallery Developer Terms of Service available at
https://developers.google.com/tag-manager/gallery-tos (or such other URL as
Google may provide), as modified from time to time.


___INFO___

{
  "type": "TAG",
  "id": "cvt_temp_public_id",
  "version": 1,
  "securityGroups": [],
  "displayName": "Placet consent",
  "categories": [
    "UTILITY",
    "TAG_MANAGEMENT",
    "PERSONALIZATION"
  ],
  "brand": {
    "id": "brand_placet",
    "displayName": "Placet"
  },
  "description": "Denies consent by default, shows the widget of your own Placet, and tells Google's tags what the visitor has chosen.",
  "containerContexts": [
    "WEB"
  ]
}


___TEMPLATE_PARAMETERS___

[
  {
    "type": "TEXT",
    "name": "url",
    "displayName": "Address of your Placet",
    "simpleValueType": true,
    "alwaysInSummary": true,
    "valueHint": "https://consent.example",
    "help": "Where your Placet answers, without a path. The widget comes from its /sdk.js.",
    "valueValidators": [
      {
        "type": "NON_EMPTY"
      },
      {
        "type": "REGEX",
        "args": [
          "^https://[^/\\s?#]+/?$"
        ],
        "errorMessage": "An https address without a path."
      }
    ]
  },
  {
    "type": "TEXT",
    "name": "clientId",
    "displayName": "Project",
    "simpleValueType": true,
    "alwaysInSummary": true,
    "help": "The id that the page “Install” shows as clientId.",
    "valueValidators": [
      {
        "type": "NON_EMPTY"
      }
    ]
  },
  {
    "type": "TEXT",
    "name": "cookiesVersion",
    "displayName": "Cookie configuration",
    "simpleValueType": true,
    "help": "Its name. Empty: the one in the page's language, else the default one."
  },
  {
    "type": "GROUP",
    "name": "defaults",
    "displayName": "Before the visitor has chosen",
    "groupStyle": "ZIPPY_OPEN",
    "subParams": [
      {
        "type": "LABEL",
        "name": "denied",
        "displayName": "Everything but security is denied. Let this tag fire on “Consent Initialization - All Pages”."
      },
      {
        "type": "TEXT",
        "name": "regions",
        "displayName": "Only in these regions",
        "simpleValueType": true,
        "valueHint": "FR, DE, US-CA",
        "help": "ISO 3166-2, separated by commas. Empty: everywhere. Elsewhere Google's tags take consent for given."
      },
      {
        "type": "TEXT",
        "name": "waitForUpdate",
        "displayName": "Milliseconds that tags wait for a stored choice",
        "simpleValueType": true,
        "defaultValue": 500,
        "valueValidators": [
          {
            "type": "NON_NEGATIVE_NUMBER"
          }
        ]
      },
      {
        "type": "CHECKBOX",
        "name": "adsDataRedaction",
        "checkboxText": "Redact advertising data while advertising is denied",
        "simpleValueType": true,
        "defaultValue": true
      },
      {
        "type": "CHECKBOX",
        "name": "urlPassthrough",
        "checkboxText": "Pass click identifiers through addresses",
        "simpleValueType": true,
        "defaultValue": false
      }
    ]
  }
]


___SANDBOXED_JS_FOR_WEB_TEMPLATE___

const callInWindow = require('callInWindow');
const copyFromWindow = require('copyFromWindow');
const createQueue = require('createQueue');
const gtagSet = require('gtagSet');
const injectScript = require('injectScript');
const makeInteger = require('makeInteger');
const queryPermission = require('queryPermission');
const setDefaultConsentState = require('setDefaultConsentState');
const setInWindow = require('setInWindow');
const updateConsentState = require('updateConsentState');

const TYPES = [
  'ad_storage', 'ad_user_data', 'ad_personalization', 'analytics_storage',
  'functionality_storage', 'personalization_storage'
];

// Before any tag: nothing is granted.
const state = { security_storage: 'granted', wait_for_update: makeInteger(data.waitForUpdate) || 0 };
TYPES.forEach((type) => {
  state[type] = 'denied';
});
const regions = (data.regions || '').split(',').map((region) => region.trim()).filter((region) => region);
if (regions.length) state.region = regions;
setDefaultConsentState(state);
gtagSet({ ads_data_redaction: !!data.adsDataRedaction, url_passthrough: !!data.urlPassthrough });

// Tells the visitor's choices, once for each choice and once for one that is stored.
const tell = (signals) => {
  const granted = {};
  TYPES.forEach((type) => {
    if (signals[type] === 'granted' || signals[type] === 'denied') granted[type] = signals[type];
  });
  updateConsentState(granted);
};
const listen = () => {
  callInWindow('placetSDK.on', 'consent:signals', tell);
};

if (copyFromWindow('placetSDK.on')) {
  // The page has it already.
  listen();
  data.gtmOnSuccess();
} else {
  const settings = { clientId: data.clientId };
  if (data.cookiesVersion) settings.cookiesVersion = data.cookiesVersion;
  // Settings of the page's own win; what they lack to find a configuration comes from here.
  if (!setInWindow('placetSettings', settings, false) && setInWindow('placetSettings.clientId', data.clientId, false) && data.cookiesVersion) {
    setInWindow('placetSettings.cookiesVersion', data.cookiesVersion, false);
  }
  createQueue('_placet')(listen);
  const base = data.url.charAt(data.url.length - 1) === '/' ? data.url.slice(0, -1) : data.url;
  const address = base + '/sdk.js';
  if (queryPermission('inject_script', address)) {
    injectScript(address, data.gtmOnSuccess, data.gtmOnFailure, address);
  } else {
    data.gtmOnFailure();
  }
}


___WEB_PERMISSIONS___

[
  {
    "instance": {
      "key": {
        "publicId": "access_consent",
        "versionId": "1"
      },
      "param": [
        {
          "key": "consentTypes",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_user_data"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_personalization"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "analytics_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "functionality_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "personalization_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "security_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "access_globals",
        "versionId": "1"
      },
      "param": [
        {
          "key": "keys",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "_placet"
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "placetSettings"
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "placetSettings.clientId"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "placetSettings.cookiesVersion"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "placetSDK.on"
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "inject_script",
        "versionId": "1"
      },
      "param": [
        {
          "key": "urls",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 1,
                "string": "https://*/*"
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "write_data_layer",
        "versionId": "1"
      },
      "param": [
        {
          "key": "keyPatterns",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 1,
                "string": "ads_data_redaction"
              },
              {
                "type": 1,
                "string": "url_passthrough"
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  }
]


___TESTS___

scenarios:
- name: denies everything before anything else
  code: |-
    runCode(input);
    assertThat(defaults.ad_storage).isEqualTo('denied');
    assertThat(defaults.analytics_storage).isEqualTo('denied');
    assertThat(defaults.security_storage).isEqualTo('granted');
    assertThat(defaults.wait_for_update).isEqualTo(500);
    assertThat(defaults.region).isUndefined();
- name: keeps to the regions that are named
  code: |-
    input.regions = 'FR, US-CA,';
    runCode(input);
    assertThat(defaults.region).isEqualTo(['FR', 'US-CA']);
- name: injects the SDK of the server and succeeds when it is there
  code: |-
    runCode(input);
    assertApi('setInWindow').wasCalledWith('placetSettings', { clientId: 'p1', cookiesVersion: 'shop-en' }, false);
    assertThat(injected).isEqualTo('https://consent.example/sdk.js');
    assertApi('gtmOnSuccess').wasCalled();
- name: leaves the page its own settings, and adds what they lack
  code: |-
    mock('setInWindow', (key) => key !== 'placetSettings');
    runCode(input);
    assertApi('setInWindow').wasCalledWith('placetSettings.clientId', 'p1', false);
    assertApi('setInWindow').wasCalledWith('placetSettings.cookiesVersion', 'shop-en', false);
    assertThat(injected).isEqualTo('https://consent.example/sdk.js');
- name: takes no configuration of another project than the page's own
  code: |-
    mock('setInWindow', () => false);
    runCode(input);
    assertApi('setInWindow').wasCalledWith('placetSettings.clientId', 'p1', false);
    assertApi('setInWindow').wasNotCalledWith('placetSettings.cookiesVersion', 'shop-en', false);
- name: fails when the SDK does not load
  code: |-
    mock('injectScript', (url, succeed, fail) => fail());
    runCode(input);
    assertApi('gtmOnFailure').wasCalled();
- name: tells Google what the visitor has chosen
  code: |-
    mock('callInWindow', (path, event, listener) => listener({ ad_storage: 'granted', analytics_storage: 'denied', other: 'granted' }));
    runCode(input);
    queued();
    assertApi('updateConsentState').wasCalledWith({ ad_storage: 'granted', analytics_storage: 'denied' });
- name: loads nothing twice
  code: |-
    mock('copyFromWindow', () => () => {});
    mock('callInWindow', () => {});
    runCode(input);
    assertApi('injectScript').wasNotCalled();
    assertApi('callInWindow').wasCalled();
setup: |-
  const input = {
    url: 'https://consent.example/', clientId: 'p1', cookiesVersion: 'shop-en',
    waitForUpdate: '500', adsDataRedaction: true, urlPassthrough: false
  };
  let defaults;
  let injected;
  let queued;
  mock('setDefaultConsentState', (state) => { defaults = state; });
  mock('copyFromWindow', () => undefined);
  mock('setInWindow', () => true);
  mock('createQueue', () => (callback) => { queued = callback; });
  mock('injectScript', (url, succeed) => { injected = url; succeed(); });


___NOTES___

Of Placet, an open consent management platform that you host yourself. Licence: Apache-2.0.
