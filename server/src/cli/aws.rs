//! Flags of S3 and CloudFront.

use clap::Args;
use service::aws::{AwsAccess, AwsKeys};

/// Access to the bucket and to CloudFront. Without keys the machine's own role is used.
#[derive(Args, Clone)]
#[command(next_help_heading = "S3 and CloudFront")]
pub(super) struct AwsArgs {
    /// Region of the bucket
    #[arg(long, env = "AWS_REGION", value_name = "REGION")]
    s3_region: Option<String>,
    /// Address of another service that speaks S3
    #[arg(long, env = "AWS_ENDPOINT_URL_S3", value_name = "URL")]
    s3_endpoint: Option<String>,
    /// Id of the access key [default: the role of the machine]
    #[arg(
        long,
        env = "AWS_ACCESS_KEY_ID",
        value_name = "ID",
        requires = "aws_secret_access_key"
    )]
    aws_access_key_id: Option<String>,
    /// Secret of the access key
    #[arg(
        long,
        env = "AWS_SECRET_ACCESS_KEY",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    aws_secret_access_key: Option<String>,
    /// Session token of a temporary access key
    #[arg(
        long,
        env = "AWS_SESSION_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    aws_session_token: Option<String>,
    /// Address of another service that speaks CloudFront
    #[arg(long, env = "AWS_ENDPOINT_URL_CLOUDFRONT", value_name = "URL")]
    pub(super) cloudfront_endpoint: Option<String>,
}

impl AwsArgs {
    pub(super) fn access(&self) -> AwsAccess {
        let keys = self
            .aws_access_key_id
            .clone()
            .zip(self.aws_secret_access_key.clone());
        AwsAccess {
            keys: keys.map(|(id, secret)| AwsKeys {
                id,
                secret,
                token: self.aws_session_token.clone(),
            }),
            region: self.s3_region.clone(),
            endpoint: self.s3_endpoint.clone(),
        }
    }
}
