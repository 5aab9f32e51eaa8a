// Prebid with the modules that ask for consent and hold to it. Adapters are registered by the page.
import pbjs from "prebid.js";
import "prebid.js/modules/consentManagementGpp.js";
import "prebid.js/modules/consentManagementTcf.js";
import "prebid.js/modules/gppControl_usnat.js";
import "prebid.js/modules/tcfControl.js";

pbjs.processQueue();
