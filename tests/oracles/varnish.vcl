vcl 4.1;

# Added to the configuration of docs/operate.md, in front of the server under test.
backend default { .host = "127.0.0.1"; .port = "PORT"; }

sub vcl_deliver {
    set resp.http.X-Cache = "MISS";
    if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; }
}
