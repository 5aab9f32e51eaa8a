//! The component set: plain functions that give a view, so that pages compile quickly and read
//! like a page. What a component looks like is in `style/`, under the same names.

pub mod autosave;
pub mod chart;
pub mod checks;
pub mod copy;
pub mod danger;
pub mod debounce;
pub mod deletion;
pub mod dialog;
pub mod download;
pub mod draft;
pub mod editor;
pub mod field;
pub mod form;
pub mod history;
pub mod holdings;
pub mod icon;
pub mod illustrations;
pub mod items;
pub mod layout;
pub mod lines;
pub mod listing;
pub mod loading;
pub mod polling;
pub mod preview;
pub mod rich;
pub mod role;
pub mod save;
pub mod search;
pub mod strength;
pub mod table;
pub mod time;
pub mod toast;
pub mod undo;
pub mod unsaved;
pub mod upload;
