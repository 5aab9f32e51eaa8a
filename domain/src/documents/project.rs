//! Projects: a site, its look, and who answers for it.

use super::{
    Strings,
    field::{Absent, FileUse, Kind, Object, Reach, Unit, document_words, field, object},
};
use crate::format;

/// A hundred years.
pub(super) const MOST_MONTHS: f64 = 1_200.0;

document_words! {
    /// The five places of the widget.
    pub enum Position {
        /// Bottom left corner.
        #[default] BottomLeft = "bottom-left",
        /// Bottom right corner.
        BottomRight = "bottom-right",
        /// Bottom, centred.
        Bottom = "bottom",
        /// Top, centred.
        Top = "top",
        /// Middle of the window.
        Center = "center",
    }
}

document_words! {
    /// Form in which IP addresses of visitors are kept with their consents.
    pub enum IpMode {
        /// Without its last part.
        #[default] Truncated = "truncated",
        /// As an HMAC with a key of the project.
        Hash = "hash",
        /// Whole.
        Full = "full",
        /// Not at all.
        None = "none",
    }
}

document_words! {
    /// Weight of the text on buttons.
    pub enum ButtonWeight {
        /// 400.
        Normal = "normal",
        /// 500.
        Medium = "medium",
        /// 600.
        #[default] Semibold = "semibold",
        /// 700.
        Bold = "bold",
    }
}

impl ButtonWeight {
    /// The value in style sheets.
    pub const fn number(self) -> u16 {
        match self {
            Self::Normal => 400,
            Self::Medium => 500,
            Self::Semibold => 600,
            Self::Bold => 700,
        }
    }
}

document_words! {
    /// Letters of the text on buttons.
    pub enum ButtonCase {
        /// As the text is written.
        #[default] AsWritten = "as-written",
        /// All capitals, a little apart.
        Uppercase = "uppercase",
    }
}

document_words! {
    /// The way in which the widget comes into the page.
    pub enum Entrance {
        /// It is there.
        #[default] None = "none",
        /// It comes from the edge that it stands at, and goes there after an answer.
        Rise = "rise",
        /// The same, and it swings before it stands.
        Spring = "spring",
    }
}

document_words! {
    /// The place of the pictures of steps.
    pub enum ImagePlace {
        /// Small, beside the title.
        #[default] Beside = "beside",
        /// Over the whole width, above the title. In bars they stay beside it.
        Above = "above",
    }
}

const MOST_RADIUS: f64 = 32.0;
const MOST_PADDING: f64 = 64.0;
const MOST_BUTTON_RADIUS: f64 = 48.0;

object! {
    /// Shape and place of the widget.
    pub struct WidgetStyle, WIDGET_STYLE {
        /// Radius of the corners in CSS pixels.
        "borderRadius" border_radius: Option<f64>, Kind::Number(0.0, MOST_RADIUS).optional().in_unit(Unit::Pixels);
        /// Inner padding in CSS pixels.
        "padding" padding: Option<f64>, Kind::Number(0.0, MOST_PADDING).optional().in_unit(Unit::Pixels);
        /// Radius of the buttons' corners in CSS pixels: 0 is square, 24 and more makes pills. Two thirds of
        /// `borderRadius`, at most 14, when absent.
        "buttonRadius" button_radius: Option<f64>, Kind::Number(0.0, MOST_BUTTON_RADIUS).optional().in_unit(Unit::Pixels);
        /// Weight of the text on buttons.
        "buttonWeight" button_weight: Option<ButtonWeight> => ButtonWeight, Kind::Words(ButtonWeight::WORDS).optional();
        /// Letters of the text on buttons.
        "buttonCase" button_case: Option<ButtonCase> => ButtonCase, Kind::Words(ButtonCase::WORDS).optional();
        /// Place of the widget unless its configuration names another.
        "position" position: Option<Position> => Position, Kind::Words(Position::WORDS).optional();
        /// The way in which the widget comes and goes. Visitors who want no motion see none.
        "entrance" entrance: Option<Entrance> => Entrance, Kind::Words(Entrance::WORDS).optional();
        /// The place of the pictures of steps.
        "imagePlace" image_place: Option<ImagePlace> => ImagePlace, Kind::Words(ImagePlace::WORDS).optional();
    }
}

impl WidgetStyle {
    /// Radius of the corners in CSS pixels, as it is drawn.
    pub fn radius(&self) -> f64 {
        drawn(self.border_radius, 18.0, MOST_RADIUS)
    }

    /// Inner padding in CSS pixels, as it is drawn.
    pub fn inner_padding(&self) -> f64 {
        drawn(self.padding, 24.0, MOST_PADDING)
    }

    /// Radius of the buttons' corners in CSS pixels, as it is drawn.
    pub fn radius_of_buttons(&self) -> f64 {
        let usual = self.usual_radius_of_buttons();
        drawn(self.button_radius, usual, MOST_BUTTON_RADIUS)
    }

    /// The same where the project names none.
    pub fn usual_radius_of_buttons(&self) -> f64 {
        (self.radius() * 0.66).round().min(14.0)
    }
}

/// Whole pixels of a number that may have been stored before its bounds.
fn drawn(wished: Option<f64>, otherwise: f64, most: f64) -> f64 {
    let wished = wished.filter(|value| value.is_finite());
    wished.unwrap_or(otherwise).clamp(0.0, most).round()
}

/// The look of a project's widgets: what is published of these fields of the project.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Client {
    /// Colours by the names of [`COLORS`].
    pub colors: Strings,
    /// The same for dark pages.
    #[serde(skip_serializing_if = "Strings::is_empty")]
    pub dark_colors: Strings,
    /// Font families by the names of [`FONTS`].
    pub fonts: Strings,
    /// Shape of the widget.
    pub widget_style: WidgetStyle,
    /// Picture at the top of the widget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// The same for dark pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dark_logo: Option<String>,
}

const fn color(key: &'static str, about: &'static str) -> super::field::Field {
    field(key, Kind::Formatted(&format::COLOR).optional(), about)
}

/// Colours of a project.
pub static COLORS: Object = Object::new(
    "Colors",
    "Colours of the widget. Where nobody could read a text on its ground, the widget takes the nearest colour that is readable. Buttons keep `main`; they get an edge, links and switches a shade of it, where it could not be seen.",
    &[
        color("main", "Main buttons and switches."),
        color(
            "secondary",
            "Tint of quiet areas, such as the lines of services; a shade of `main` when absent.",
        ),
        color("text", "Text."),
        color("title", "Titles."),
        color("background", "Background."),
        color("border", "Lines."),
        color("buttonText", "Text on main buttons."),
        color("danger", "Messages about what went wrong."),
    ],
);

/// Fonts of a project.
pub static FONTS: Object = Object::new(
    "Fonts",
    "Font families that visitors' devices have: up to six, the best first, with commas between them.",
    &[
        field(
            "title",
            Kind::Line.optional(),
            "Titles; that of the text when absent.",
        ),
        field("text", Kind::Line.optional(), "Text."),
    ],
);

object! {
    /// Somebody who answers for personal data.
    pub struct Party, PARTY {
        /// Name.
        "name" name: Option<String>, Kind::Line.optional();
        /// E-mail address.
        "email" email: Option<String>, Kind::Line.optional();
        /// Telephone number.
        "phone" phone: Option<String>, Kind::Line.optional();
        /// Postal address.
        "address" address: Option<String>, Kind::Line.optional();
        /// Web site.
        "website" website: Option<String>, Kind::Url.optional();
    }
}

object! {
    /// Time for which consents are kept, the form in which IP addresses of visitors are kept, and who may erase.
    pub struct Retention, RETENTION {
        /// Months after which consents are deleted; never when absent.
        "consentMonths" consent_months: Option<u32>, Kind::Whole(1.0, MOST_MONTHS).private().in_unit(Unit::Months).ruling_consents();
        /// Form in which IP addresses of visitors are kept. Takes effect with the next publish.
        "ipMode" ip_mode: IpMode, Kind::Words(IpMode::WORDS).private();
        /// Lets visitors erase their own consents on the page `/me/<project id>`. Off by default: who must show that
        /// consent was given may have to keep what shows it (GDPR, article 17(3)(e)). Takes effect at once.
        "visitorErasure" visitor_erasure: bool, Kind::Flag.private().ruling_consents();
    }
}

object! {
    /// A project: a site, its look, and who answers for it.
    pub struct Project, PROJECT {
        /// Address of the site.
        "websiteURL" website_url: Option<String>, Kind::Url.required().seen_by(Reach::Private), skip_serializing;
        /// Title; `projectName` of the published file.
        "title" title: String, Kind::Formatted(&format::NAME).required();
        /// Name for visitors; the title when absent.
        "name" name: Option<String>, Kind::Formatted(&format::NAME).private(), skip_serializing;
        /// Language of boxes that name none (ISO 639-1): publishing gives it to them, and the client API shows it.
        "language" language: Option<String>, Kind::Formatted(&format::LANGUAGE).private(), skip_serializing;
        /// Privacy policy of the site, which the first step of its configurations links to where they name no other.
        "privacyPolicyUrl" privacy_policy_url: Option<String>, Kind::Url.private(), skip_serializing;
        /// The organization whose members take part.
        "organizationId" organization_id: Option<String>, Kind::Id.private(), skip_serializing;
        /// Colours of its widgets.
        "colors" colors: Strings, Kind::Object(&COLORS).optional();
        /// Colours of its widgets on dark pages. For those that are absent the widget makes its own.
        "darkColors" dark_colors: Strings, Kind::Object(&COLORS).optional();
        /// Fonts of its widgets.
        "fonts" fonts: Strings, Kind::Object(&FONTS).optional();
        /// Shape and place of its widgets.
        "widgetStyle" widget_style: WidgetStyle, Kind::Object(&WIDGET_STYLE).optional();
        /// Logo of the site, at the top of its widgets.
        "logo" logo: Option<String>, Kind::File(FileUse::Picture).optional();
        /// Logo for dark pages; `logo` when absent. Only beside `logo` it is shown.
        "darkLogo" dark_logo: Option<String>, Kind::File(FileUse::Picture).optional();
        /// Data protection officer.
        "dpo" dpo: Option<Party>, Kind::Object(&PARTY).optional();
        /// The party that processes the data. Banners and consent boxes show its name and web site to everybody, and
        /// banners a way to reach it where the `dpo` has none; the client API shows all of it.
        "dataProcessor" data_processor: Option<Party>, Kind::Object(&PARTY).private(), skip_serializing;
        /// Hosts from whose pages consents are taken; from any when absent. Takes effect with the next publish.
        "domains" domains: Vec<String>, Kind::ListOf(&format::HOST).private(), skip_serializing;
        /// Secret that signs visitors' tokens: 16 to 255 characters, best random. It stays unless it is
        /// named; null removes it.
        "tokenSecret" token_secret: Option<String>, Kind::Secret(16, 255).optional().expected().seen_by(Reach::Secret).ruling_consents(), skip_serializing;
        /// Number of its own consent management platform at IAB Europe; that of the server when absent. Who
        /// changes how the widget asks needs one.
        "tcfCmpId" tcf_cmp_id: Option<u16>, Kind::Whole(2.0, 4_095.0).private(), skip_serializing;
        /// Asks a second person to approve each publish, and each earlier version that is put back unless it undoes the last
        /// publish. Owners alone change it. Takes effect at once, also for a publish that waits for its time or its turn.
        "approval" approval: bool, Kind::Flag.private(), skip_serializing;
        /// Rules of keeping consents.
        "retention" retention: Retention, Kind::Object(&RETENTION).private(), skip_serializing;
    }
}

impl From<Project> for Client {
    fn from(project: Project) -> Self {
        Self {
            colors: project.colors,
            dark_colors: project.dark_colors,
            fonts: project.fonts,
            widget_style: project.widget_style,
            logo: project.logo,
            dark_logo: project.dark_logo,
        }
    }
}
