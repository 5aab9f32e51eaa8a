//! One small set of line icons, drawn on a 16 × 16 grid. They decorate: the words beside them
//! carry the meaning, so they are hidden from screen readers.

use leptos::prelude::*;

/// The icons in use; add one by drawing its path below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Account,
    Bar,
    Bolt,
    Card,
    Check,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    Code,
    Cookie,
    Copy,
    Cross,
    Desktop,
    External,
    Eye,
    File,
    Form,
    Grid,
    Home,
    Key,
    Leave,
    Menu,
    Modal,
    Moon,
    Palette,
    People,
    Phone,
    Plug,
    Plus,
    Publish,
    Redo,
    Search,
    Settings,
    Shield,
    Sun,
    Text,
    Trash,
    Undo,
    Warning,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Account => {
                "M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM2.8 13.8c.5-2.4 2.6-3.9 5.2-3.9s4.7 1.5 5.2 3.9"
            }
            Self::Bar => "M2 3h12v10H2zM2 9.8h12",
            Self::Bolt => "M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z",
            Self::Card => "M2 3h12v10H2zM3.8 7.5h5v4h-5z",
            Self::Check => "m3.2 8.4 3.2 3.2 6.4-7",
            Self::ChevronDown => "m4 6.2 4 4 4-4",
            Self::ChevronLeft => "m9.8 4-4 4 4 4",
            Self::ChevronRight => "m6.2 4 4 4-4 4",
            Self::ChevronUp => "m4 9.8 4-4 4 4",
            Self::Code => "m5.2 4.5-3.4 3.5 3.4 3.5m5.6-7 3.4 3.5-3.4 3.5M9.2 2.8 6.8 13.2",
            Self::Cookie => {
                "M8 2a6 6 0 1 0 6 6 2.6 2.6 0 0 1-3-3 2.6 2.6 0 0 1-3-3ZM6 6.6v.01M5.8 10.2v.01M9.6 10.4v.01M8.6 7.4v.01"
            }
            Self::Copy => "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
            Self::Cross => "m4 4 8 8m0-8-8 8",
            Self::Desktop => "M1.8 2.8h12.4v8H1.8zM6 13.5h4M8 10.8v2.7",
            Self::External => "M9.5 2.5h4v4m0-4L7.8 8.2M6.5 3.5h-4v10h10v-4",
            Self::Eye => {
                "M1.5 8S3.8 3.7 8 3.7 14.5 8 14.5 8 12.2 12.3 8 12.3 1.5 8 1.5 8ZM8 9.9a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8Z"
            }
            Self::File => "M4 1.8h5.2L12 4.6v9.6H4zM9 2v3h3",
            Self::Form => {
                "M2.5 2.8h4.4v4.4H2.5zM3.7 5l.8.8 1.3-1.6M9.4 4h4.1M9.4 6.2h2.6M2.5 10h11v3.5h-11z"
            }
            Self::Grid => {
                "M2.5 2.5h4.2v4.2H2.5zM9.3 2.5h4.2v4.2H9.3zM2.5 9.3h4.2v4.2H2.5zM9.3 9.3h4.2v4.2H9.3z"
            }
            Self::Home => "M2.5 13.5v-4M6.2 13.5v-8M9.9 13.5v-6M13.5 13.5v-11",
            Self::Key => {
                "M10.3 9.4a3.7 3.7 0 1 0-3.5-2.5L2 11.7V14h2.5v-1.6h1.6v-1.6h1.6l1-1.5c.5.1 1 .2 1.6.1ZM11.2 4.9v.01"
            }
            Self::Leave => "M6.5 2.5h-4v11h4M6 8h8m-3-3 3 3-3 3",
            Self::Menu => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
            Self::Modal => "M2 3h12v10H2zM5 5.8h6v4.4H5z",
            Self::Moon => "M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7Z",
            Self::Palette => {
                "M8 2a6 6 0 0 0 0 12c1.2 0 1.7-.8 1.4-1.8-.3-1.2.3-2.2 1.6-2.2h1.4c1 0 1.6-.8 1.6-2C14 4.6 11.3 2 8 2ZM5 7.6v.01M7.2 5v.01M10.3 5.3v.01"
            }
            Self::People => {
                "M6 8a2.4 2.4 0 1 0 0-4.8A2.4 2.4 0 0 0 6 8ZM1.8 13.2c.4-2.1 2-3.3 4.2-3.3s3.8 1.2 4.2 3.3M10.6 3.4a2.4 2.4 0 0 1 0 4.4M11.8 10.1c1.4.4 2.2 1.5 2.5 3.1"
            }
            Self::Phone => "M4.5 1.8h7v12.4h-7zM7.4 11.8h1.2",
            Self::Plug => "M6 2v3M10 2v3M4 5h8v2.8a4 4 0 0 1-8 0zM8 11.8v2.7",
            Self::Plus => "M8 3.2v9.6M3.2 8h9.6",
            Self::Publish => "M8 10.5v-8m0 0L4.8 5.7M8 2.5l3.2 3.2M2.5 10v3.5h11V10",
            Self::Redo => "M10 2.8 13 5.8l-3 3M13 5.8H6.4a3.7 3.7 0 0 0 0 7.4H10",
            Self::Search => "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.7 10.7l3.1 3.1",
            Self::Settings => {
                "M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 6.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6 13.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z"
            }
            Self::Shield => {
                "M8 1.8 2.8 3.7v4c0 3.2 2.2 5.4 5.2 6.5 3-1.1 5.2-3.3 5.2-6.5v-4zM5.8 7.9l1.6 1.6 3-3.2"
            }
            Self::Sun => {
                "M8 10.7a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9"
            }
            Self::Text => "M3 4.5v-1.5h10v1.5M8 3v10M6.2 13h3.6",
            Self::Trash => {
                "M2.5 4.3h11M6 4.3V2.5h4v1.8M4 4.3l.6 9.2h6.8l.6-9.2M6.7 7v3.8M9.3 7v3.8"
            }
            Self::Undo => "M6 2.8 3 5.8l3 3M3 5.8h6.6a3.7 3.7 0 0 1 0 7.4H6",
            Self::Warning => "M8 2.2 1.8 13.2h12.4zM8 6.5v3.2M8 11.5v.01",
        }
    }
}

/// Draws an icon in the colour of its text.
pub fn icon(icon: Icon) -> AnyView {
    view! {
        <svg
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="1.5"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            <path d=icon.path()></path>
        </svg>
    }
    .into_any()
}

/// The product's mark: a ballot mark in a round seal.
pub fn mark() -> AnyView {
    view! {
        <svg width="22" height="22" viewBox="0 0 22 22" fill="none" aria-hidden="true">
            <rect width="22" height="22" rx="7" fill="currentColor"></rect>
            <path
                d="m6.5 11.5 3.2 3.2 6-7"
                stroke="#fff"
                stroke-width="2.4"
                stroke-linecap="round"
                stroke-linejoin="round"
            ></path>
        </svg>
    }
    .into_any()
}
