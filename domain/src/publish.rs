//! The words of publish jobs.

crate::words! {
    /// The six steps in order.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum StepName {
        /// Fetch all widgets and build an optimised file for every configuration.
        Build = "build",
        /// Check the free-tier limits.
        FreeTier = "free_tier",
        /// Check that an organization is attached where the plan needs one.
        Organization = "organization",
        /// Check the subscription at the billing provider.
        Subscription = "subscription",
        /// Upload to object storage.
        Upload = "upload",
        /// Invalidate in the content delivery network.
        Invalidate = "invalidate",
    }
}

crate::words! {
    /// The progress of a step.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum StepStatus {
        /// Not begun.
        Waiting = "waiting",
        /// Begun.
        Started = "started",
        /// Done.
        Complete = "complete",
        /// Failed, which ended the job.
        Error = "error",
    }
}

crate::words! {
    /// The progress of a job.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum JobStatus {
        /// Running, or about to.
        Started = "started",
        /// Its content is fixed. It waits for a time, or for the approval of a second person.
        Waiting = "waiting",
        /// The configuration is live.
        Complete = "complete",
        /// The job failed. The previous publish stays live.
        Error = "error",
    }
}

crate::words! {
    /// An event that a job waits for.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum WaitsFor {
        /// The approval of a second person.
        Approval = "approval",
        /// The time `publishAt`.
        Time = "time",
    }
}
