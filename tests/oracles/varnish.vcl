vcl 4.1;

# The cache of docs/operate.md, in front of the server under test.
backend default { .host = "127.0.0.1"; .port = "PORT"; }

acl publishers { "127.0.0.1"; }

sub vcl_recv {
    if (req.method == "PURGE" || req.method == "BAN") {
        if (client.ip !~ publishers) { return (synth(405)); }
        if (req.method == "PURGE") { return (purge); }
        ban("obj.http.Surrogate-Key == " + req.http.Surrogate-Key);
        return (synth(200));
    }
}

sub vcl_deliver {
    set resp.http.X-Cache = "MISS";
    if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; }
}
