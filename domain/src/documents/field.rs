//! The words in which documents are described: objects, their fields, and the kinds of values.

use serde_json::Value;

use crate::format::Format;

/// A JSON object: a document, or a part of one.
pub struct Object {
    /// Name of its type.
    pub name: &'static str,
    /// One sentence for the reference. Empty in browsers, which show none.
    pub about: &'static str,
    /// The known fields, in the order in which they are published. Others are kept and ignored.
    pub fields: &'static [Field],
}

/// A field of an object.
pub struct Field {
    /// Name in the JSON.
    pub key: &'static str,
    /// Its purpose, in one or two sentences. Empty in browsers.
    pub about: &'static str,
    /// Its values and their rule.
    pub rule: Rule,
    /// The value that its absence stands for: null, or one of a simple field.
    pub default: Option<fn() -> Value>,
}

/// The values of a field and their rule.
#[derive(Clone, Copy)]
#[must_use]
pub struct Rule {
    /// The values that it may have.
    pub kind: Kind,
    /// True if it must be there.
    pub is_required: bool,
    /// True if most people write it: no form invites them to leave it out.
    pub is_expected: bool,
    /// Its readers.
    pub reach: Reach,
    /// The values of another field beside which alone it may stand.
    pub only: Option<Only>,
    /// Set if a draft may lack it and a published document may not.
    pub to_publish: Option<Needed>,
    /// The unit of its number.
    pub unit: Option<Unit>,
    /// True if a change of it removes consents that are there, or decides who may remove them or whose answers count.
    /// An API key then needs the rights to change consents.
    pub rules_consents: bool,
}

/// When publishing needs a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// In every document.
    Always,
    /// Unless the project names a party in this field.
    WithoutParty(&'static str),
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pixels as CSS counts them.
    Pixels,
    /// Thousandths of a second.
    Milliseconds,
    /// Days of 24 hours.
    Days,
    /// Months of the calendar.
    Months,
}

/// The readers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everybody: it stands in the published file.
    Published,
    /// The members of the project.
    Private,
    /// Nobody: it is taken and never given back.
    Secret,
    /// Everybody, and publishing makes it: a document has no say.
    Made,
}

/// The use of a file that a document names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileUse {
    /// Drawn in the widget.
    Picture,
    /// Opened by itself; it may stay at its own address.
    Document,
}

/// Values of another field of the same object.
#[derive(Clone, Copy)]
pub struct Only {
    /// The other field, one of [`Kind::Words`].
    pub field: &'static str,
    /// Its values beside which the field may stand.
    pub words: &'static [&'static str],
}

/// The values that a field may have. `null` counts as absent.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Plain text of one line, at most [`LINE`] characters.
    Line,
    /// Plain text, at most [`TEXT`] characters.
    Text,
    /// HTML of at most [`TEXT`] characters. Publishing leaves the harmless part of it.
    Html,
    /// A text of one line in a certain format.
    Formatted(&'static Format),
    /// A text of one line with that many characters.
    Secret(usize, usize),
    /// An address with `https:` or `http:`.
    Url,
    /// The address of a file, or the id of an asset; publishing copies assets and pictures.
    File(FileUse),
    /// The id of another document.
    Id,
    /// `true` or `false`.
    Flag,
    /// A number from one to another.
    Number(f64, f64),
    /// A whole number from one to another.
    Whole(f64, f64),
    /// One of these words.
    Words(&'static [&'static str]),
    /// An object of texts by name.
    Texts,
    /// An object.
    Object(&'static Object),
    /// `true`, `false`, or an object.
    FlagOr(&'static Object),
    /// An object of objects by name.
    Named(&'static Object),
    /// A list of lines.
    Lines,
    /// A list of texts in a certain format.
    ListOf(&'static Format),
    /// A list of different whole numbers, each an id from 1 to this one.
    Ids(u16),
    /// The same, or the word [`ALL`].
    AllOrIds(u16),
    /// A list of objects. No two have the same value of the field that is named here.
    Objects(&'static Object, Option<&'static str>),
    /// A list of vendors: an id, or an object with `id`. Publishing puts the vendors in.
    Vendors,
    /// Anything.
    Any,
}

/// Most characters of a plain text of one line.
pub const LINE: usize = 1_000;
/// Most characters of a text with paragraphs.
pub const TEXT: usize = 50_000;
/// Most tags in HTML. Readers of it compare each with those that are open, so many take seconds.
pub const TAGS: usize = 200;
/// Most characters of an address.
pub const URL: usize = 2_000;
/// Most entries of a list.
pub const LIST: usize = 1_000;
/// Most entries of a list of ids.
pub const IDS: usize = 5_000;
/// Stands for each id.
pub const ALL: &str = "all";

impl Object {
    /// True if a field with this name, here or in a part, holds HTML.
    pub fn has_html(&self, key: &str) -> bool {
        self.fields.iter().any(|field| match field.rule.kind {
            Kind::Html => field.key == key,
            kind => kind.part().is_some_and(|part| part.has_html(key)),
        })
    }

    /// Describes an object.
    pub const fn new(name: &'static str, about: &'static str, fields: &'static [Field]) -> Self {
        Self {
            name,
            about: told(about),
            fields,
        }
    }

    /// A field by its name.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The field at a JSON Pointer, with the object that describes it. Texts by name and entries of lists have no
    /// description of their own.
    pub fn at(&'static self, pointer: &str) -> Option<(&'static Self, &'static Field)> {
        let mut names = pointer.strip_prefix('/')?.split('/').peekable();
        let mut object = self;
        loop {
            let field = object.field(names.next()?)?;
            if names.peek().is_none() {
                return Some((object, field));
            }
            if field.rule.kind.has_entries() {
                names.next();
            }
            object = field.rule.kind.part()?;
        }
    }

    /// The fields that name files.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, FileUse)> {
        self.fields
            .iter()
            .filter_map(|field| match field.rule.kind {
                Kind::File(used) => Some((field.key, used)),
                _ => None,
            })
    }
}

/// Describes a field.
pub const fn field(key: &'static str, rule: Rule, about: &'static str) -> Field {
    Field {
        key,
        about: told(about),
        rule,
        default: None,
    }
}

/// The text of a description, where somebody reads it.
pub(crate) const fn told(about: &'static str) -> &'static str {
    if cfg!(feature = "schema") { about } else { "" }
}

impl Field {
    /// The value that its absence stands for, if there is one.
    pub fn default_value(&self) -> Option<Value> {
        let default = self.default?();
        (!default.is_null()).then_some(default)
    }
}

impl Kind {
    /// The object that describes its value, or each entry of it.
    pub const fn part(self) -> Option<&'static Object> {
        match self {
            Self::Object(part)
            | Self::FlagOr(part)
            | Self::Named(part)
            | Self::Objects(part, _) => Some(part),
            _ => None,
        }
    }

    /// True if its objects are entries, which have names or numbers.
    pub const fn has_entries(self) -> bool {
        matches!(self, Self::Named(_) | Self::Objects(..) | Self::Vendors)
    }

    /// Asks for nothing but this kind, and publishes it.
    pub const fn optional(self) -> Rule {
        Rule {
            kind: self,
            is_required: false,
            is_expected: false,
            reach: Reach::Published,
            only: None,
            to_publish: None,
            unit: None,
            rules_consents: false,
        }
    }

    /// Asks for a value.
    pub const fn required(self) -> Rule {
        Rule {
            is_required: true,
            ..self.optional()
        }
    }

    /// Keeps it from the published file.
    pub const fn private(self) -> Rule {
        self.optional().seen_by(Reach::Private)
    }
}

impl Rule {
    /// Says who sees the field.
    pub const fn seen_by(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }

    /// Says that most people write it.
    pub const fn expected(self) -> Self {
        Self {
            is_expected: true,
            ..self
        }
    }

    /// Asks for a value at publishing.
    pub const fn to_publish(self, needed: Needed) -> Self {
        Self {
            to_publish: Some(needed),
            ..self
        }
    }

    /// Names the unit of its number.
    pub const fn in_unit(self, unit: Unit) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    /// Marks a field whose change decides about consents that are there.
    pub const fn ruling_consents(self) -> Self {
        Self {
            rules_consents: true,
            ..self
        }
    }

    /// Refuses the field beside other values of another field.
    pub const fn only_with(self, field: &'static str, words: &'static [&'static str]) -> Self {
        Self {
            only: Some(Only { field, words }),
            ..self
        }
    }
}

/// Declares a struct for an object and the description of that object, so that a field is written
/// down once. [`super::read`] makes the struct; it is serialized as it is published, so a field that
/// is not published says `skip_serializing`. An optional word is published only where it is written, and `=> Type` says
/// that the default of that type stands for it elsewhere.
macro_rules! object {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident, $table:ident {
            $(
                $(#[doc = $doc:literal])+
                $key:literal $field:ident: $type:ty $(= $default:expr)? $(=> $word:ty)?, $rule:expr $(, $skip:ident)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[serde(rename = $key, skip_serializing_if = "Absent::is_absent" $(, $skip)?)]
                pub $field: $type,
            )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::documents::field::or_default!($($default)?),)+ }
            }
        }

        impl $crate::documents::Described for $name {
            fn description() -> &'static $crate::documents::field::Object {
                &$table
            }
        }

        impl $crate::documents::field::Absent for $name {}

        #[doc = concat!("Describes [`", stringify!($name), "`].")]
        pub static $table: $crate::documents::field::Object = $crate::documents::field::Object {
            name: stringify!($name),
            about: $crate::documents::field::told(concat!($($about),+)),
            fields: &[
                $($crate::documents::field::Field {
                    key: $key,
                    about: $crate::documents::field::told(concat!($($doc),+)),
                    rule: $rule,
                    default: Some(|| {
                        $crate::documents::field::absence!($type, [$($default)?], [$($word)?])
                    }),
                },)+
            ],
        };
    };
}
pub(crate) use object;

/// The default that is written, or the type's.
macro_rules! or_default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}
pub(crate) use or_default;

/// The value in JSON that the absence of a field stands for.
macro_rules! absence {
    ($type:ty, [$($default:expr)?], []) => {{
        let default: $type = $crate::documents::field::or_default!($($default)?);
        $crate::documents::field::Absent::plain(&default)
    }};
    ($type:ty, [], [$word:ty]) => {
        $crate::documents::field::Absent::plain(&<$word>::default())
    };
}
pub(crate) use absence;

/// Values that the published file leaves out.
pub(crate) trait Absent {
    /// True if it says nothing.
    fn is_absent(&self) -> bool {
        false
    }

    /// The value in JSON, of types of simple fields.
    fn plain(&self) -> Value {
        Value::Null
    }
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Absent for std::collections::BTreeMap<K, V> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for serde_json::Map<String, Value> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for bool {
    fn plain(&self) -> Value {
        (*self).into()
    }
}

impl Absent for u32 {
    fn plain(&self) -> Value {
        (*self).into()
    }
}

impl Absent for String {
    fn plain(&self) -> Value {
        self.as_str().into()
    }
}

/// Declares an enum whose values are words of a document. The marked value stands where a document is
/// silent.
macro_rules! document_words {
    ($(#[$meta:meta])* pub enum $name:ident $values:tt) => {
        $crate::words! {
            $(#[$meta])*
            #[derive(Default)]
            pub enum $name $values
        }

        impl $crate::documents::field::Absent for $name {
            fn plain(&self) -> serde_json::Value {
                self.as_str().into()
            }
        }
    };
}
pub(crate) use document_words;

/// The words of an enum's values that have a property, for [`Rule::only_with`]. The property is a `const fn`.
macro_rules! words_with {
    ($name:ident, $property:ident) => {{
        const COUNT: usize = {
            let (mut count, mut rest) = (0, $name::ALL);
            while let [value, others @ ..] = rest {
                count += value.$property() as usize;
                rest = others;
            }
            count
        };
        const WORDS: [&str; COUNT] = {
            let mut words = [""; COUNT];
            let (mut places, mut rest): (&mut [&str], _) = (&mut words, $name::ALL);
            while let [value, others @ ..] = rest {
                if value.$property()
                    && let [place, left @ ..] = places
                {
                    *place = value.as_str();
                    places = left;
                }
                rest = others;
            }
            words
        };
        &WORDS
    }};
}
pub(crate) use words_with;
