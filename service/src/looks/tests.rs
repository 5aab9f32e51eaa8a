//! Looks of pages as frameworks make them.

use super::{page::Page, sheet::Rules, *};

fn look(html: &str, sheets: &[&str]) -> Look {
    let page = Page::read(html);
    let mut rules = Rules::default();
    for sheet in sheets {
        rules.add(sheet, None);
    }
    for (style, media) in &page.styles {
        if let Style::Inline(text) = style {
            rules.add(text, media.as_deref());
        }
    }
    Look::of(page, &rules)
}

/// Main colour, its source, ground, text, titles, radius, as one line.
fn line(look: &Look) -> String {
    let colour = |colour: Option<domain::colour::Colour>| {
        colour.map_or_else(|| "-".to_owned(), |colour| colour.to_string())
    };
    let (main, source) = look.main.unzip();
    let source = source.map_or_else(|| "-".to_owned(), |source| format!("{source:?}"));
    let radius = look
        .button_radius
        .map_or_else(|| "-".to_owned(), |radius| radius.to_string());
    format!(
        "{} {source} {} {} {} {} {radius}",
        colour(main),
        colour(look.button_text),
        colour(look.background),
        colour(look.text),
        colour(look.title),
    )
}

const BOOTSTRAP: &str = ":root,[data-bs-theme=light]{--bs-blue:#0d6efd;--bs-primary:#0d6efd;--bs-primary-rgb:13,110,253;\
    --bs-font-sans-serif:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"Noto Sans\",\"Liberation Sans\",Arial,sans-serif,\"Apple Color Emoji\";\
    --bs-body-font-family:var(--bs-font-sans-serif);--bs-body-color:#212529;--bs-body-bg:#fff;--bs-border-radius:0.375rem;--bs-heading-color:inherit}\
    [data-bs-theme=dark]{--bs-body-color:#dee2e6;--bs-body-bg:#212529}\
    body{margin:0;font-family:var(--bs-body-font-family);color:var(--bs-body-color);background-color:var(--bs-body-bg)}\
    .h1,h1{color:var(--bs-heading-color)}\
    .btn{--bs-btn-bg:transparent;--bs-btn-color:var(--bs-body-color);--bs-btn-border-radius:var(--bs-border-radius);color:var(--bs-btn-color);\
    border-radius:var(--bs-btn-border-radius);background-color:var(--bs-btn-bg)}\
    .btn-primary{--bs-btn-color:#fff;--bs-btn-bg:#0d6efd}.btn-success{--bs-btn-color:#fff;--bs-btn-bg:#198754}\
    .btn:hover{background-color:#000}";

#[test]
fn of_bootstrap_the_buttons_on_the_page_count() {
    let page = r#"<html><body><h1>Shop</h1><button class="btn btn-link">Menu</button><a class="btn btn-success">Buy</a>"#;
    let found = look(page, &[BOOTSTRAP]);
    assert_eq!(line(&found), "#198754 Button #fff #fff #212529 - 6");
    let fonts = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif";
    assert_eq!(found.text_font.as_deref(), Some(fonts));
    assert_eq!(found.title_font, None);
    // A page without buttons has those of its sheets.
    assert_eq!(
        line(&look("<h1>Shop</h1>", &[BOOTSTRAP])),
        "#0d6efd Variable #fff #fff #212529 - 6"
    );
    // Dark by its own mark.
    let dark = look(
        "<html data-bs-theme=dark><body><a class='btn btn-primary'>",
        &[BOOTSTRAP],
    );
    assert_eq!(line(&dark), "#0d6efd Button #fff #212529 #dee2e6 - 6");
}

#[test]
fn of_tailwind_the_classes_of_the_elements_count() {
    let three = "*,::before{--tw-bg-opacity:1}body{margin:0;line-height:inherit}\
        .bg-indigo-600{--tw-bg-opacity:1;background-color:rgb(79 70 229 / var(--tw-bg-opacity))}\
        .bg-slate-50{--tw-bg-opacity:1;background-color:rgb(248 250 252 / var(--tw-bg-opacity))}\
        .text-slate-900{--tw-text-opacity:1;color:rgb(15 23 42 / var(--tw-text-opacity))}\
        .text-indigo-900{color:rgb(49 46 129 / 1)}.text-white{color:rgb(255 255 255 / 1)}\
        .rounded-full{border-radius:9999px}.font-serif{font-family:ui-serif,Georgia,serif}\
        .hover\\:bg-red-600:hover{background-color:red}.dark\\:bg-black:is(.dark *){background-color:#000}\
        @media (prefers-color-scheme:dark){.bg-slate-50{background-color:#000}}";
    let page = r#"<html class="h-full"><body class="bg-slate-50 text-slate-900 dark:bg-black font-serif">
        <h2 class="text-indigo-900">Shop</h2><a class="rounded-full bg-indigo-600 text-white hover:bg-red-600">Buy</a>"#;
    let found = look(page, &[three]);
    assert_eq!(
        line(&found),
        "#4f46e5 Button #fff #f8fafc #0f172a #312e81 24"
    );
    assert_eq!(found.text_font.as_deref(), Some("ui-serif, Georgia, serif"));

    let four = "@layer theme,base,components,utilities;@layer theme{:root,:host{--font-sans:ui-sans-serif,system-ui,sans-serif;\
        --color-indigo-600:oklch(51.1% .262 276.966);--color-gray-900:oklch(21% .034 264.665);--color-white:#fff;--radius-md:.375rem;\
        --default-font-family:var(--font-sans)}}\
        @layer base{html,:host{font-family:var(--default-font-family,ui-sans-serif)}h1,h2{font-size:inherit}button{border-radius:0;background-color:#0000}}\
        @layer utilities{.rounded-md{border-radius:var(--radius-md)}.bg-indigo-600{background-color:var(--color-indigo-600)}\
        .text-gray-900{color:var(--color-gray-900)}.text-white{color:var(--color-white)}.bg-white{background-color:var(--color-white)}\
        @media (hover:hover){.hover\\:bg-black:hover{background-color:#000}}}";
    let page = r#"<body class="bg-white text-gray-900"><button class="rounded-md bg-indigo-600 text-white">Buy</button>"#;
    let found = look(page, &[four]);
    assert_eq!(line(&found), "#4f39f6 Button #fff #fff #101828 - 6");
    assert_eq!(
        found.text_font.as_deref(),
        Some("ui-sans-serif, system-ui, sans-serif")
    );
}

#[test]
fn of_wordpress_the_presets_count() {
    let page = r#"<html lang="fr"><head><style id="global-styles-inline-css">
        :root{--wp--preset--color--black:#000;--wp--preset--color--base:#f9f9f9;--wp--preset--color--contrast:#111;--wp--preset--color--accent:#cf2e2e;
        --wp--preset--font-family--body:"Source Serif Pro", serif;--wp--preset--font-family--heading:'Cabin', sans-serif}
        body{background-color:var(--wp--preset--color--base);color:var(--wp--preset--color--contrast);font-family:var(--wp--preset--font-family--body)}
        h1,h2{font-family:var(--wp--preset--font-family--heading);color:var(--wp--preset--color--accent)}
        :root :where(.wp-element-button,.wp-block-button__link){background-color:var(--wp--preset--color--accent);border-radius:2px;color:#fff;border-width:0}
        </style></head><body class="home"><div class="wp-site-blocks"><h1>Bienvenue</h1><p>Texte</p></div></body></html>"#;
    let found = look(page, &[]);
    assert_eq!(line(&found), "#cf2e2e Variable #fff #f9f9f9 #111 #cf2e2e 2");
    assert_eq!(found.text_font.as_deref(), Some("Source Serif Pro, serif"));
    assert_eq!(found.title_font.as_deref(), Some("Cabin, sans-serif"));
}

#[test]
fn variables_of_components_are_put_together() {
    let css = "@layer base{:root{--background:0 0% 100%;--foreground:222.2 84% 4.9%;--primary:346.8 77.2% 49.8%;--radius:0.5rem}\
        .dark{--background:222.2 84% 4.9%}}body{background-color:hsl(var(--background));color:hsl(var(--foreground))}\
        .bg-primary{background-color:hsl(var(--primary))}.rounded-md{border-radius:calc(var(--radius) - 2px)}";
    let page = r#"<body><button class="bg-primary rounded-md">Go</button>"#;
    assert_eq!(
        line(&look(page, &[css])),
        "#e11d48 Button - #fff #020817 - 6"
    );
    assert_eq!(
        line(&look("<p>", &[css])),
        "#e11d48 Variable - #fff #020817 - -"
    );
}

#[test]
fn a_black_button_is_an_accent_and_a_grey_search_is_none() {
    let css = "body{color:#333;background:#fafafa}.menu,.search{background:#eee}.cta{background:#000;color:#fff;border-radius:0}\
        .cky-btn{background:#1863dc}a{color:#06c}";
    let page = r#"<body><div class="cookie-bar"><button class="cky-btn">Accept</button></div>
        <button class="menu">Menu</button><a class="cta">Shop</a><button class="search">Find</button>"#;
    assert_eq!(
        line(&look(page, &[css])),
        "#000 Button #fff #fafafa #333 - 0"
    );
    // Without such a button links tell.
    assert_eq!(
        line(&look("<p><a>", &[css])),
        "#06c Link - #fafafa #333 - -"
    );
}

#[test]
fn what_most_buttons_have_counts_and_a_primary_one_thrice() {
    let css = "button{background:#c00;color:#fff}.two{background:#00c}.primary{background:#080}";
    let buttons = |html: &str| {
        look(html, &[css])
            .main
            .map(|(colour, _)| colour.to_string())
    };
    assert_eq!(
        buttons("<button class=two><button><button>").as_deref(),
        Some("#c00")
    );
    assert_eq!(
        buttons("<button><button><button class=primary>").as_deref(),
        Some("#080")
    );
}

#[test]
fn text_of_another_ground_is_left_out() {
    let css = "body{color:#fff}.hero h1{color:#fefefe}h2{color:#b00}";
    let found = look("<div class=hero><h1>Hero</h1></div><h2>News</h2>", &[css]);
    assert_eq!(line(&found), "- - - - - #b00 -");
}

#[test]
fn a_page_tells_by_its_theme_colour_alone_or_nothing() {
    let found = look("<meta name=theme-color content='#7a1fa2'>", &[]);
    assert_eq!(line(&found), "#7a1fa2 ThemeColour - - - - -");
    for nothing in [
        "",
        "<p>Text",
        "<meta name=theme-color content=white>",
        "<style>p{margin:0}</style>",
    ] {
        assert!(look(nothing, &[]).is_empty(), "{nothing}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures a duration")]
fn a_hostile_page_takes_bounded_time() {
    let page = "<div class='a b c' style='color:red'>".repeat(3_000)
        + &"<button class='a b c'>".repeat(3_000);
    let css = "*{color:red;--x:1;background:var(--x)}".repeat(20_000)
        + &".a .b .c .a .b .c .z{color:red}".repeat(20_000);
    let begun = std::time::Instant::now();
    look(&page, &[&css]);
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn addresses_are_those_that_people_type() {
    let read = |text| web_address(text).map(String::from);
    assert_eq!(
        read(" shop.example ").as_deref(),
        Some("https://shop.example/")
    );
    assert_eq!(
        read("http://shop.example/a").as_deref(),
        Some("http://shop.example/a")
    );
    for none in [
        "",
        "ftp://a.example",
        "https://",
        "a b",
        "javascript://x",
        "//",
    ] {
        assert_eq!(read(none), None, "{none}");
    }
}

#[test]
fn only_pages_of_html_are_read() {
    assert!(is_html(Some("text/html; charset=utf-8"), b""));
    assert!(is_html(Some("application/xhtml+xml"), b""));
    assert!(is_html(None, b"\n <!doctype html>"));
    assert!(!is_html(Some("application/json"), b"<"));
    assert!(!is_html(None, b"{}"));
}
