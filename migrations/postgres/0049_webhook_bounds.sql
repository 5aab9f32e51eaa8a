-- An account has a bound of webhooks. The worker reads from this index alone who may wait for a call.
CREATE INDEX webhooks_account ON webhooks (created_by, active, project_id, id, failing_since);
-- One test of a webhook waits at a time.
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (webhook_id) WHERE status = 'waiting' AND kind = 'webhook.test';
