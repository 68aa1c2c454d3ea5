// Made by `npm run client:types` from the API's document. Do not edit.
export interface paths {
    readonly "/v1/transactions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Charges, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["listTransactions"];
        readonly put?: never;
        /**
         * Create a Pix charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`.
         */
        readonly post: operations["createTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A charge as it is now
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getTransaction"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A file of charges, newest first, of any length
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["exportTransactions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/summary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What charges add up to
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["summarizeTransactions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{id}/refunds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give money of a paid charge back to its payer
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `refunds:write`.
         */
        readonly post: operations["createRefund"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refunds/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A refund as it is now
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getRefund"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refunds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Refunds, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["listRefunds"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refunds/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A file of refunds, newest first, of any length
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["exportRefunds"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/payment-links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Payment links, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["listPaymentLinks"];
        readonly put?: never;
        /**
         * Create a payment link
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`.
         */
        readonly post: operations["createPaymentLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/payment-links/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A payment link as it is now
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getPaymentLink"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a payment link, or switch it off and on
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`.
         */
        readonly patch: operations["changePaymentLink"];
        readonly trace?: never;
    };
    readonly "/v1/customers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Customers, the one with the newest charge first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["listCustomers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/customers/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A customer as it is now, or the one that it was merged into
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getCustomer"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{id}/customer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The customer of a charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getTransactionCustomer"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Withdrawals, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:read`.
         */
        readonly get: operations["listWithdrawals"];
        readonly put?: never;
        /**
         * Request a withdrawal to a verified Pix key
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`.
         */
        readonly post: operations["createWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A withdrawal as it is now
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:read`.
         */
        readonly get: operations["getWithdrawal"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A file of withdrawals, newest first, of any length
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:read`.
         */
        readonly get: operations["exportWithdrawals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a withdrawal that awaits approval
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`.
         */
        readonly post: operations["cancelWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/balance": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Available, reserved and pending funds
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `balance:read`.
         */
        readonly get: operations["getBalance"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/balance/releases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What the reserve makes available on which day, soonest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `balance:read`.
         */
        readonly get: operations["getBalanceReleases"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/ledger": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Ledger entries, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `ledger:read`.
         */
        readonly get: operations["listLedger"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/statement": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A statement of the balance as CSV or JSON lines, of any length
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `ledger:read`.
         */
        readonly get: operations["getStatement"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/statement/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A statement as spreadsheets open it, with payers and orders
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `ledger:read`.
         */
        readonly get: operations["exportStatement"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Events, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `events:read`.
         */
        readonly get: operations["listEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One event
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `events:read`.
         */
        readonly get: operations["getEvent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/event-types": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The catalog of event types, each with a JSON Schema and an example
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `events:read`.
         */
        readonly get: operations["listEventTypes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow events as Server-Sent Events, with Last-Event-ID replay
         * @description Takes an API key, or a seller's session with the mode in the query. A key needs the scope `events:read`.
         */
        readonly get: operations["streamEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhook-deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Delivery attempts, newest first
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `deliveries:read`.
         */
        readonly get: operations["listDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhook-deliveries/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One attempt with its request, response and payload
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `deliveries:read`.
         */
        readonly get: operations["getDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhook-deliveries/{id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a failed delivery again
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `deliveries:write`.
         */
        readonly post: operations["retryDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/pix-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Verified Pix keys
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:read`.
         */
        readonly get: operations["listPixKeys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/transactions/{id}/pay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Pay a charge, even an expired one
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["payTestTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/transactions/{id}/expire": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Expire a charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["expireTestTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/transactions/{id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Fail a charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["failTestTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/transactions/{id}/refund": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refund what is left of a paid charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["refundTestTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/transactions/{id}/chargeback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Charge back a paid charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["chargebackTestTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/withdrawals/{id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Approve a withdrawal, as an operator would
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`. Live keys are refused.
         */
        readonly post: operations["approveTestWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/withdrawals/{id}/reject": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reject a withdrawal, as an operator would
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`. Live keys are refused.
         */
        readonly post: operations["rejectTestWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/withdrawals/{id}/succeed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let the bank pay a withdrawal
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`. Live keys are refused.
         */
        readonly post: operations["succeedTestWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/withdrawals/{id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let the bank reject a withdrawal
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`. Live keys are refused.
         */
        readonly post: operations["failTestWithdrawal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/refunds/{id}/succeed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let the bank carry out a refund
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `refunds:write`. Live keys are refused.
         */
        readonly post: operations["succeedTestRefund"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/refunds/{id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let the bank reject a refund
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `refunds:write`. Live keys are refused.
         */
        readonly post: operations["failTestRefund"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/clock/advance": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Advance the clock of test mode: everything due by then happens now
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`. Live keys are refused.
         */
        readonly post: operations["advanceTestClock"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/test/clock": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The time of test mode
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`. Live keys are refused.
         */
        readonly get: operations["getTestClock"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{id}/receipt/send": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mail the receipt of a paid charge
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:write`.
         */
        readonly post: operations["sendTransactionReceipt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refunds/{id}/receipt.pdf": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The receipt of a refund that has succeeded
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `charges:read`.
         */
        readonly get: operations["getRefundReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refunds/{id}/receipt/send": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mail the receipt of a refund that has succeeded
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `refunds:write`.
         */
        readonly post: operations["sendRefundReceipt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals/{id}/receipt.pdf": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The receipt of a withdrawal that has arrived
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:read`.
         */
        readonly get: operations["getWithdrawalReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/withdrawals/{id}/receipt/send": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mail the receipt of a withdrawal that has arrived
         * @description Takes an API key, which names the seller and the mode. A key needs the scope `withdrawals:write`.
         */
        readonly post: operations["sendWithdrawalReceipt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Balance: {
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "balance";
            /**
             * @description The mode of the money.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /** @description Centavos; negative only after refunds and chargebacks. */
            readonly available: number;
            /** @description Centavos of paid charges that become available later. */
            readonly reserve: number;
            /** @description Centavos held for the withdrawal in progress, its fee included. */
            readonly pending_withdraw: number;
            /** @description Centavos held for the refunds under way. */
            readonly pending_refund: number;
        };
        readonly BalanceReleases: {
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "balance_releases";
            /**
             * @description The mode of the money.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /** @description Centavos in reserve: `data` and `later` together. */
            readonly reserve: number;
            /** @description The days on which something becomes available, soonest first. */
            readonly data: readonly components["schemas"]["ReleaseDay"][];
            /** @description Centavos that become available after these days, or on a day that is not known. */
            readonly later: number;
        };
        readonly ChangePaymentLink: {
            /** @description What is paid for, as payers read it: 1 to 80 characters. */
            readonly title?: string;
            /** @description More about it, in a line. Payers see it. */
            readonly description?: string | null;
            /** @description In centavos. Without it the payer chooses. */
            readonly amount?: number | null;
            /** @description The least that a payer may choose, in centavos; only without `amount`. */
            readonly amount_min?: number | null;
            /** @description The most that a payer may choose, in centavos; only without `amount`. */
            readonly amount_max?: number | null;
            /** @description When it stops taking payments: a date-time with its zone, or a date, with whose end in America/Sao_Paulo it stops. */
            readonly expires_at?: string | null;
            /** @description How many payments it takes: 1 to 1000000; any number without it. */
            readonly payments_max?: number | null;
            /** @description Your own name of what is sold; every charge made through it has it. */
            readonly reference?: string | null;
            /** @description Where the payment page leads once a charge is paid: https. */
            readonly return_url?: string | null;
            /** @description Whether it takes payments. */
            readonly active?: boolean;
        };
        readonly ClockAdvance: {
            /** @description How far to advance; it adds to earlier advances. */
            readonly seconds: number;
        };
        readonly CreatePaymentLink: {
            /** @description What is paid for, as payers read it: 1 to 80 characters. */
            readonly title: string;
            /** @description More about it, in a line. Payers see it. */
            readonly description?: string | null;
            /** @description In centavos. Without it the payer chooses. */
            readonly amount?: number | null;
            /** @description The least that a payer may choose, in centavos; only without `amount`. */
            readonly amount_min?: number | null;
            /** @description The most that a payer may choose, in centavos; only without `amount`. */
            readonly amount_max?: number | null;
            /** @description When it stops taking payments: a date-time with its zone, or a date, with whose end in America/Sao_Paulo it stops. */
            readonly expires_at?: string | null;
            /** @description How many payments it takes: 1 to 1000000; any number without it. */
            readonly payments_max?: number | null;
            /** @description Your own name of what is sold; every charge made through it has it. */
            readonly reference?: string | null;
            /** @description Where the payment page leads once a charge is paid: https. */
            readonly return_url?: string | null;
            /** @description Whether it takes payments. True by default. */
            readonly active?: boolean | null;
        };
        readonly CreateRefund: {
            /** @description In centavos; what is left of the charge by default. */
            readonly amount?: number | null;
            /** @description At most 140 characters, for yourself; the payer does not see it. */
            readonly reason?: string | null;
        };
        readonly CreateTransaction: {
            /** @description In centavos. */
            readonly amount: number;
            /**
             * @description How it is paid.
             * @enum {string}
             */
            readonly payment_method: "pix";
            /** @description Who pays. */
            readonly customer: {
                /** @description The payer's name. */
                readonly name: string;
                /** @description The payer's e-mail address. */
                readonly email: string;
                /** @description CPF or CNPJ, with or without punctuation. */
                readonly document: string;
                /** @description The payer's telephone number, in any form. */
                readonly phone?: string | null;
            };
            /** @description What is paid for. */
            readonly items: readonly {
                /** @description What is sold. */
                readonly name: string;
                /** @description How many of it. */
                readonly quantity: number;
                /** @description In centavos. The items need not add up to the amount. */
                readonly unit_amount: number;
            }[];
            /** @description How long the charge can be paid. */
            readonly pix?: {
                /** @description Seconds until the charge expires; 86400 by default. */
                readonly expires_in_seconds?: number | null;
            } | null;
            /** @description Your own number or name of the order, by which the charge is found. */
            readonly reference?: string | null;
            /** @description What is paid for, in a line. */
            readonly description?: string | null;
            /** @description Where the payment page leads once the charge is paid: https. */
            readonly return_url?: string | null;
            /** @description Whether the payment page shows `reference` and `description`; false by default. */
            readonly show_on_page?: boolean | null;
            /** @description Receives the events of this charge only, signed with the postback secret. */
            readonly postback_url?: string | null;
            /** @description Your own data: at most 50 keys of 1 to 40 characters. */
            readonly metadata?: {
                readonly [key: string]: string | number | boolean;
            } | null;
        };
        readonly CreateWithdrawal: {
            /** @description Centavos that arrive at the bank account, at least 100; the fee comes on top. */
            readonly amount: number;
            /** @description One of your verified keys, from `GET /v1/pix-keys`. */
            readonly pix_key_id: string;
            /** @description For yourself. */
            readonly description?: string | null;
        };
        readonly Customer: {
            /** @description The customer's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "customer";
            /** @description The payer's name. */
            readonly name: string;
            /** @description The payer's e-mail address. */
            readonly email: string;
            /** @description The payer's CPF or CNPJ, without punctuation. */
            readonly document: string;
            /** @description The payer's telephone number, as given. */
            readonly phone: string | null;
            /** @description How many charges it has, whatever became of them. */
            readonly charges: number;
            /** @description The amounts of those that were paid, in centavos, also of those that went back. */
            readonly paid_amount: number;
            /** @description What of them went back to the payer, in centavos. */
            readonly refunded_amount: number;
            /**
             * Format: date-time
             * @description When its first charge was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly first_charge_at: string;
            /**
             * Format: date-time
             * @description When its newest charge was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly last_charge_at: string;
        };
        readonly Delivery: {
            /** @description The attempt's id. */
            readonly id: string;
            /** @description The event that was sent. */
            readonly event_id: string;
            /** @description The type of that event. */
            readonly event_type: string;
            /**
             * @description Only on test events: an example was sent, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
            /** @description The webhook endpoint; null for postbacks and trackers. */
            readonly endpoint_id: string | null;
            /**
             * @description The kind of destination.
             * @enum {string}
             */
            readonly target: "endpoint" | "postback" | "tracker";
            /** @description Counts from 1. Every attempt is a row of its own. */
            readonly attempt: number;
            /**
             * @description `dead`: the last attempt failed.
             * @enum {string}
             */
            readonly status: "success" | "failed" | "dead";
            /** @description What the receiver answered; null if it did not. */
            readonly status_code: number | null;
            /** @description Milliseconds until it answered; null if it did not. */
            readonly response_ms: number | null;
            /** @description Why it failed: `http_<status>`, `timeout`, `connection_error`, `response_not_http` and the like; null otherwise. */
            readonly error: string | null;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description The host it was sent to. */
            readonly target_host: string;
        };
        readonly DeliveryDetail: {
            /** @description The attempt's id. */
            readonly id: string;
            /** @description The event that was sent. */
            readonly event_id: string;
            /** @description The type of that event. */
            readonly event_type: string;
            /**
             * @description Only on test events: an example was sent, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
            /** @description The webhook endpoint; null for postbacks and trackers. */
            readonly endpoint_id: string | null;
            /**
             * @description The kind of destination.
             * @enum {string}
             */
            readonly target: "endpoint" | "postback" | "tracker";
            /** @description Counts from 1. Every attempt is a row of its own. */
            readonly attempt: number;
            /**
             * @description `dead`: the last attempt failed.
             * @enum {string}
             */
            readonly status: "success" | "failed" | "dead";
            /** @description What the receiver answered; null if it did not. */
            readonly status_code: number | null;
            /** @description Milliseconds until it answered; null if it did not. */
            readonly response_ms: number | null;
            /** @description Why it failed: `http_<status>`, `timeout`, `connection_error`, `response_not_http` and the like; null otherwise. */
            readonly error: string | null;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description The host it was sent to. */
            readonly target_host: string;
            /** @description The headers as sent, signatures included; a tracker's own values are hidden. */
            readonly request_headers: {
                readonly [key: string]: string;
            };
            /** @description The first 1 KiB of the receiver's response. */
            readonly response_body_excerpt: string | null;
            /** @description The exact text that X-Signature signs, `<t>.<raw body>`; null if the attempt was unsigned or not made, or its event is no longer kept. */
            readonly signed_content: string | null;
            /** @description A command for a POSIX shell that sends the same bytes and headers again; null if the attempt was not made, or its event is no longer kept. */
            readonly curl: string | null;
            /** @description The event as sent; empty once it is no longer kept. */
            readonly payload: Record<string, unknown>;
        };
        /** @description Every error response. */
        readonly Error: {
            /** @description The error. */
            readonly error: {
                /**
                 * @description The kind of error.
                 * @enum {string}
                 */
                readonly type: "invalid_request_error" | "authentication_error" | "permission_error" | "not_found_error" | "idempotency_error" | "rate_limit_error" | "acquirer_error" | "internal_error";
                /**
                 * @description What went wrong, for programs; codes may be added.
                 * @enum {string}
                 */
                readonly code: "validation_failed" | "invalid_url" | "invalid_event_type" | "invalid_cursor" | "missing_idempotency_key" | "invalid_api_key" | "session_required" | "invalid_mfa_code" | "invalid_credentials" | "invalid_signature" | "mfa_required" | "mail_code_required" | "kyc_required" | "seller_not_allowed" | "user_disabled" | "payout_locked" | "permission_denied" | "ip_not_allowed" | "origin_not_allowed" | "resource_not_found" | "method_not_allowed" | "invalid_state" | "pix_key_not_verified" | "insufficient_balance" | "daily_limit_exceeded" | "idempotency_in_progress" | "length_required" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "acquirer_error" | "service_unavailable";
                /** @description What went wrong and what to do, for people. */
                readonly message: string;
                /** @description The path of the offending field, such as `items.0.quantity`. */
                readonly param?: string;
                /** @description Send it to us when you need help. */
                readonly request_id: string;
                /** @description Facts about it, such as the balance or the status that it met. */
                readonly details?: Record<string, unknown>;
            };
        };
        /** @description What happened, and the resource as it was then. Ignore types that you do not know. */
        readonly Event: components["schemas"]["TransactionCreatedEvent"] | components["schemas"]["TransactionPaidEvent"] | components["schemas"]["TransactionExpiredEvent"] | components["schemas"]["TransactionFailedEvent"] | components["schemas"]["TransactionRefundedEvent"] | components["schemas"]["TransactionPartiallyRefundedEvent"] | components["schemas"]["TransactionChargebackEvent"] | components["schemas"]["TransactionExceptionEvent"] | components["schemas"]["WithdrawalAwaitingEvent"] | components["schemas"]["WithdrawalApprovedEvent"] | components["schemas"]["WithdrawalRejectedEvent"] | components["schemas"]["WithdrawalProcessingEvent"] | components["schemas"]["WithdrawalSuccessfulEvent"] | components["schemas"]["WithdrawalFailedEvent"] | components["schemas"]["WithdrawalCancelledEvent"] | components["schemas"]["WithdrawalReturnedEvent"] | components["schemas"]["WithdrawalDebitedEvent"] | components["schemas"]["RefundCreatedEvent"] | components["schemas"]["RefundSucceededEvent"] | components["schemas"]["RefundFailedEvent"] | components["schemas"]["ExceptionCreditedEvent"] | components["schemas"]["ExceptionDebitedEvent"] | components["schemas"]["PaymentLinkPaidEvent"] | components["schemas"]["SellerUpdatedEvent"] | components["schemas"]["SellerKycApprovedEvent"] | components["schemas"]["SellerKycRejectedEvent"] | components["schemas"]["SellerPayoutLockedEvent"] | components["schemas"]["SellerWebhookEndpointDisabledEvent"] | components["schemas"]["PingEvent"];
        readonly EventType: {
            /** @description The event type. */
            readonly type: string;
            /** @description The kind of resource in `data.object`. */
            readonly resource_type: string;
            /** @description Whether it appears in the feed only. */
            readonly internal: boolean;
            /** @description Whether endpoints can subscribe to it. */
            readonly subscribable: boolean;
            /** @description When it is emitted. */
            readonly description: string;
            /** @description A JSON Schema (draft 2020-12) of both forms of the event. */
            readonly schema: Record<string, unknown>;
            /** @description As deliveries carry it. */
            readonly example: Record<string, unknown>;
            /** @description As the list, the single event and the stream show it. */
            readonly feed_example: Record<string, unknown>;
        };
        readonly Exception: {
            /** @description The exception's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "exception";
            /**
             * @description What differs.
             * @enum {string}
             */
            readonly kind: "payment_unknown" | "double_payment" | "amount_mismatch" | "payment_unconfirmed" | "payment_returned" | "payout_unknown" | "payout_contradicted" | "payout_returned" | "payout_stuck" | "refund_stuck" | "partner_changed";
            /**
             * @description Whether an operator has acted on it.
             * @enum {string}
             */
            readonly state: "open" | "resolved";
            /**
             * @description The mode of the money.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /** @description The acquirer's slug. */
            readonly acquirer: string;
            /** @description The kind of resource it is about; null where it names none of ours. */
            readonly resource_type: ("transaction" | "withdrawal" | "refund") | null;
            /** @description The resource it is about; null where there is none. */
            readonly resource_id: string | null;
            /** @description Whose money it is; null while nobody knows. */
            readonly seller_id: string | null;
            /** @description Centavos that the acquirer moved, or is to move. */
            readonly amount: number;
            /** @description What the acquirer said: `end_to_end_id`, `payout_id`, `status` and the like. */
            readonly details: Record<string, unknown>;
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description When it was resolved; null before. */
            readonly resolved_at: string | null;
            /** @description The operator's user id; with two operators, both, comma-separated. */
            readonly resolved_by: string | null;
            /** @description What the operator did; null before. */
            readonly act: ("credit" | "refund" | "debit" | "return" | "settle" | "fail" | "dismiss") | null;
            /** @description Why, as the operator wrote it; null before. */
            readonly reason: string | null;
        };
        /** @description A payment that named no charge was credited to the balance. */
        readonly ExceptionCreditedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A payment that named no charge was credited to the balance. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "exception.credited";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Exception"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The bank took back a payment that had been credited; it was debited from the balance. */
        readonly ExceptionDebitedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The bank took back a payment that had been credited; it was debited from the balance. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "exception.debited";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Exception"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly LedgerEntry: {
            /** @description The entry's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "ledger_entry";
            /**
             * @description Why money moved.
             * @enum {string}
             */
            readonly kind: "charge_paid" | "charge_refunded" | "charge_partially_refunded" | "charge_chargeback" | "charge_partial_chargeback" | "reserve_released" | "withdrawal_held" | "withdrawal_settled" | "withdrawal_returned" | "refund_held" | "refund_settled" | "refund_returned" | "payment_credited" | "payment_debited" | "payout_debited" | "payout_returned";
            /**
             * @description The mode of the money.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description The kind of resource that moved it.
             * @enum {string}
             */
            readonly resource_type: "transaction" | "withdrawal" | "refund" | "exception";
            /** @description The resource that moved it. */
            readonly resource_id: string;
            /** @description The event of the same change; null for changes without one: releases of the reserve. */
            readonly event_id: string | null;
            /** @description The change of each bucket, negative for a decrease; they sum to zero. */
            readonly postings: readonly {
                /**
                 * @description Where the money is.
                 * @enum {string}
                 */
                readonly bucket: "available" | "reserve" | "pending_withdraw" | "pending_refund" | "external" | "fees";
                /** @description Centavos, negative for a decrease. */
                readonly amount: number;
            }[];
            /** @description The balance after the entry. */
            readonly balance: {
                /** @description Centavos that can be withdrawn. */
                readonly available: number;
                /** @description Centavos that become available later. */
                readonly reserve: number;
                /** @description Centavos held for the withdrawal in progress. */
                readonly pending_withdraw: number;
                /** @description Centavos held for the refunds under way. */
                readonly pending_refund: number;
            };
            /**
             * Format: date-time
             * @description When the money moved.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description With `view=statement`: the charge that moved it or whose refund did; null for other resources, and for charges that test mode has forgotten. */
            readonly charge?: components["schemas"]["LedgerEntryCharge"] | null;
            /** @description With `view=statement`: the withdrawal that moved it; null for other resources, and for withdrawals that test mode has forgotten. */
            readonly withdrawal?: components["schemas"]["LedgerEntryWithdrawal"] | null;
        };
        readonly LedgerEntryCharge: {
            /** @description The charge. */
            readonly id: string;
            /** @description Who paid. */
            readonly customer: {
                /** @description The payer's name. */
                readonly name: string;
                /** @description The payer's CPF or CNPJ, without punctuation. */
                readonly document: string;
            };
            /** @description Your order number: `reference`, or else `order`, `order_id`, `order_number` or `pedido` of its `metadata`. */
            readonly reference: string | null;
            /** @description The charge's id at the acquirer and the banks. */
            readonly txid: string;
            /** @description The payment's id at the Central Bank. */
            readonly end_to_end_id: string | null;
            /** @description Centavos that the payer paid. */
            readonly amount: number;
            /** @description Centavos of them that are our fee. */
            readonly fee: number;
            /** @description Centavos that are left of it. */
            readonly net_amount: number;
        };
        readonly LedgerEntryWithdrawal: {
            /** @description The withdrawal. */
            readonly id: string;
            /** @description Centavos of the Pix to the bank account. */
            readonly amount: number;
            /** @description Our fee in centavos, on top of it. */
            readonly fee: number;
            /** @description The Pix's id at the Central Bank; null until it succeeds. */
            readonly end_to_end_id: string | null;
        };
        readonly ListedRefund: {
            /** @description The refund's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "refund";
            /**
             * @description The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /** @description The charge. */
            readonly transaction_id: string;
            /**
             * @description The charge's mode.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /** @description Centavos that go back to the payer. */
            readonly amount: number;
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /**
             * @description `pending` and `processing` refunds hold their money; the others are final.
             * @enum {string}
             */
            readonly status: "pending" | "processing" | "succeeded" | "failed";
            /** @description As requested; `MED_FRAUDE`, `MED_OPERACIONAL` or `MED_PIX_AUTOMATICO` where the payer's bank took the money back. */
            readonly reason: string | null;
            /**
             * @description Who began it; `partner`: it began at the acquirer.
             * @enum {string}
             */
            readonly origin: "seller" | "operator" | "partner";
            /** @description The bank's code, such as `AM09`. */
            readonly failure_code: string | null;
            /** @description Why it failed. */
            readonly failure_reason: string | null;
            /** @description The bank's id of the return; set once it succeeds, where the bank gives one. */
            readonly return_id: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly updated_at: string;
            /** @description When it succeeded or failed; null before. */
            readonly completed_at: string | null;
            /** @description With `view=statement`: what the charge was and who paid it; null for charges that test mode has forgotten. */
            readonly charge?: components["schemas"]["LedgerEntryCharge"] | null;
        };
        readonly PaidPaymentLink: {
            /** @description The link's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "payment_link";
            /**
             * Format: uri
             * @description The page on which anybody pays: publish it, print it, send it.
             * @example https://pay.example.com/l/01KA0000000700000000000000
             */
            readonly url: string;
            /**
             * @description In `test` no money moves.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /** @description Whether it takes payments. */
            readonly active: boolean;
            /** @description What is paid for, as payers read it. */
            readonly title: string;
            /** @description More about it; null without one. */
            readonly description: string | null;
            /** @description In centavos; null where the payer chooses. */
            readonly amount: number | null;
            /** @description The least that a payer may choose, in centavos; null with an `amount`. */
            readonly amount_min: number | null;
            /** @description The most that a payer may choose, in centavos; null with an `amount`. */
            readonly amount_max: number | null;
            /** @description When it stops taking payments; null: never. */
            readonly expires_at: string | null;
            /** @description How many payments it takes; null: any number. */
            readonly payments_max: number | null;
            /** @description Your own name of what is sold; null without one. */
            readonly reference: string | null;
            /** @description Where the payment page leads once a charge is paid; null without one. */
            readonly return_url: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description How many charges were paid through it. */
            readonly payments: number;
            /** @description What they add up to, in centavos, before fees and refunds. */
            readonly paid_amount: number;
            /** @description How many charges made through it may still be paid. */
            readonly pending_payments: number;
            /** @description The charge that was paid. */
            readonly transaction_id: string;
        };
        readonly PaymentLink: {
            /** @description The link's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "payment_link";
            /**
             * Format: uri
             * @description The page on which anybody pays: publish it, print it, send it.
             * @example https://pay.example.com/l/01KA0000000700000000000000
             */
            readonly url: string;
            /**
             * @description In `test` no money moves.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /** @description Whether it takes payments. */
            readonly active: boolean;
            /** @description What is paid for, as payers read it. */
            readonly title: string;
            /** @description More about it; null without one. */
            readonly description: string | null;
            /** @description In centavos; null where the payer chooses. */
            readonly amount: number | null;
            /** @description The least that a payer may choose, in centavos; null with an `amount`. */
            readonly amount_min: number | null;
            /** @description The most that a payer may choose, in centavos; null with an `amount`. */
            readonly amount_max: number | null;
            /** @description When it stops taking payments; null: never. */
            readonly expires_at: string | null;
            /** @description How many payments it takes; null: any number. */
            readonly payments_max: number | null;
            /** @description Your own name of what is sold; null without one. */
            readonly reference: string | null;
            /** @description Where the payment page leads once a charge is paid; null without one. */
            readonly return_url: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description How many charges were paid through it. */
            readonly payments: number;
            /** @description What they add up to, in centavos, before fees and refunds. */
            readonly paid_amount: number;
            /** @description How many charges made through it may still be paid. */
            readonly pending_payments: number;
        };
        /** @description Somebody paid through a payment link. */
        readonly PaymentLinkPaidEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description Somebody paid through a payment link. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "payment_link.paid";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["PaidPaymentLink"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A test delivery, sent on request. */
        readonly PingEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A test delivery, sent on request. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "ping";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["PingedEndpoint"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly PingedEndpoint: {
            /** @description The endpoint's id. */
            readonly id: string;
            /** @description Where events are delivered; without the password of a Redis Stream. */
            readonly url: string;
            /** @description The event types it receives; `["*"]`: all that can be subscribed to. */
            readonly events: readonly string[];
            /** @description Whether events are delivered to it. */
            readonly enabled: boolean;
            /** @description How its secret begins. */
            readonly secret_prefix: string;
            /** @description For yourself. */
            readonly description: string | null;
            /**
             * @description `resource`: a later event of a resource waits until the delivery of the one before it has ended; `none`: deliveries are not ordered.
             * @enum {string}
             */
            readonly ordering: "none" | "resource";
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description `auto`: its deliveries kept failing; `manual`: you disabled it; null while it is enabled. */
            readonly disabled_reason: ("auto" | "manual") | null;
            /** @description When its deliveries had failed too often; null if they have not. */
            readonly auto_disabled_at: string | null;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "webhook_endpoint";
            /** @description In the feed: what was delivered instead of this ping; absent for an ordinary ping. */
            readonly test_event?: {
                /**
                 * @description The type that was sent.
                 * @example transaction.paid
                 */
                readonly type: string;
                /**
                 * @description The example that was sent as `data.object`.
                 * @example {
                 *       "id": "txn_01KA0000000700000000000000",
                 *       "object": "transaction",
                 *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *       "mode": "test",
                 *       "status": "paid",
                 *       "amount": 12990,
                 *       "fee": 0,
                 *       "net_amount": 12990,
                 *       "currency": "BRL",
                 *       "payment_method": "pix",
                 *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                 *       "customer": {
                 *         "name": "Ana Souza",
                 *         "email": "ana@example.com",
                 *         "document": "52998224725",
                 *         "phone": null
                 *       },
                 *       "reference": "A-1001",
                 *       "description": "Assinatura de novembro",
                 *       "return_url": "https://shop.example/orders/A-1001",
                 *       "show_on_page": true,
                 *       "items": [
                 *         {
                 *           "name": "Assinatura",
                 *           "quantity": 1,
                 *           "unit_amount": 12990
                 *         }
                 *       ],
                 *       "metadata": {
                 *         "order_id": "A-1001"
                 *       },
                 *       "postback_url": null,
                 *       "pix": {
                 *         "txid": "01KA0000000700000000000000ABCDEF",
                 *         "payload": "00020101021226...",
                 *         "qr_base64": "iVBORw0KGgo...",
                 *         "expires_at": "2026-11-22T12:00:00.000Z"
                 *       },
                 *       "end_to_end_id": "E00000000202611211203ABCDEFGHIJK",
                 *       "failure_reason": null,
                 *       "reserve": null,
                 *       "refunded_amount": 0,
                 *       "refunds": [],
                 *       "exceptions": [],
                 *       "created_at": "2026-11-21T12:00:00.000Z",
                 *       "expires_at": "2026-11-22T12:00:00.000Z",
                 *       "paid_at": "2026-11-21T12:03:00.000Z",
                 *       "expired_at": null,
                 *       "failed_at": null,
                 *       "refunded_at": null,
                 *       "chargeback_at": null
                 *     }
                 */
                readonly object: Record<string, unknown>;
            };
        };
        readonly PixKey: {
            /** @description The Pix key's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "pix_key";
            /**
             * @description The mode whose withdrawals it receives.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description The kind of Pix key; `evp` is a random one.
             * @enum {string}
             */
            readonly type: "cpf" | "cnpj" | "email" | "phone" | "evp";
            /** @description Masked. */
            readonly value: string;
            /**
             * @description Withdrawals go only to `verified` keys. Test keys are verified at once; in live mode an operator decides.
             * @enum {string}
             */
            readonly status: "pending_approval" | "verified" | "refused" | "removed";
            /**
             * Format: date-time
             * @description When it was registered.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description When it was verified; null before. */
            readonly verified_at: string | null;
        };
        readonly Refund: {
            /** @description The refund's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "refund";
            /**
             * @description The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /** @description The charge. */
            readonly transaction_id: string;
            /**
             * @description The charge's mode.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /** @description Centavos that go back to the payer. */
            readonly amount: number;
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /**
             * @description `pending` and `processing` refunds hold their money; the others are final.
             * @enum {string}
             */
            readonly status: "pending" | "processing" | "succeeded" | "failed";
            /** @description As requested; `MED_FRAUDE`, `MED_OPERACIONAL` or `MED_PIX_AUTOMATICO` where the payer's bank took the money back. */
            readonly reason: string | null;
            /**
             * @description Who began it; `partner`: it began at the acquirer.
             * @enum {string}
             */
            readonly origin: "seller" | "operator" | "partner";
            /** @description The bank's code, such as `AM09`. */
            readonly failure_code: string | null;
            /** @description Why it failed. */
            readonly failure_reason: string | null;
            /** @description The bank's id of the return; set once it succeeds, where the bank gives one. */
            readonly return_id: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly updated_at: string;
            /** @description When it succeeded or failed; null before. */
            readonly completed_at: string | null;
        };
        /** @description A refund was requested; its funds are held. */
        readonly RefundCreatedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A refund was requested; its funds are held. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "refund.created";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: true;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Refund"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A refund failed; its funds are back in the balance. */
        readonly RefundFailedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A refund failed; its funds are back in the balance. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "refund.failed";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Refund"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description Money of a charge went back to its payer. */
        readonly RefundSucceededEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description Money of a charge went back to its payer. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "refund.succeeded";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Refund"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly ReleaseDay: {
            /** @description The day in America/Sao_Paulo. */
            readonly date: string;
            /** @description Centavos that become available on it. */
            readonly amount: number;
            /** @description How many charges they are of. */
            readonly charges: number;
        };
        readonly Seller: {
            /** @description The seller's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "seller";
            /** @description The store's name. */
            readonly name: string;
            /** @description The name that the document belongs to; absent before one was submitted. Payers see it once `kyc_status` is `approved`. */
            readonly legal_name?: string;
            /** @description The name that payers see instead of `name`; absent where the seller has chosen none. */
            readonly payer_name?: string;
            /** @description Masked. */
            readonly document: string | null;
            /**
             * @description A `suspended` seller can read, but neither charge nor withdraw.
             * @enum {string}
             */
            readonly status: "active" | "suspended";
            /**
             * @description The state of its identification; live needs `approved`.
             * @enum {string}
             */
            readonly kyc_status: "none" | "pending" | "approved" | "rejected";
            /** @description Until when it cannot withdraw; null if it can. */
            readonly payout_locked_until: string | null;
            /** @description Fees and limits. */
            readonly settings: components["schemas"]["SellerSettings"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
        };
        /** @description The seller may operate in live. */
        readonly SellerKycApprovedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The seller may operate in live. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "seller.kyc_approved";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Seller"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The seller's identification was rejected. */
        readonly SellerKycRejectedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The seller's identification was rejected. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "seller.kyc_rejected";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Seller"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description Withdrawals are locked until the given time. */
        readonly SellerPayoutLockedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description Withdrawals are locked until the given time. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "seller.payout_locked";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Seller"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly SellerSettings: {
            /** @description Hundredths of a percent of a charge's amount. */
            readonly charge_fee_bps: number;
            /** @description Centavos per charge. */
            readonly charge_fee_fixed: number;
            /** @description Hundredths of a percent of a charge's net amount. */
            readonly reserve_bps: number;
            /** @description Days that a paid charge's reserve is held. */
            readonly reserve_days: number;
            /** @description Centavos per withdrawal. */
            readonly withdrawal_fee: number;
            /** @description Centavos per day. */
            readonly withdrawal_daily_value: number;
            /** @description Withdrawals per day. */
            readonly withdrawal_daily_count: number;
            /** @description Whether withdrawals are approved without an operator. */
            readonly withdrawal_auto_approval: boolean;
        };
        /** @description The seller's profile or settings changed. */
        readonly SellerUpdatedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The seller's profile or settings changed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "seller.updated";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Seller"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description An endpoint was disabled because its deliveries kept failing. */
        readonly SellerWebhookEndpointDisabledEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description An endpoint was disabled because its deliveries kept failing. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "seller.webhook_endpoint_disabled";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["SellerWithEndpoint"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly SellerWithEndpoint: {
            /** @description The seller's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "seller";
            /** @description The store's name. */
            readonly name: string;
            /** @description The name that the document belongs to; absent before one was submitted. Payers see it once `kyc_status` is `approved`. */
            readonly legal_name?: string;
            /** @description The name that payers see instead of `name`; absent where the seller has chosen none. */
            readonly payer_name?: string;
            /** @description Masked. */
            readonly document: string | null;
            /**
             * @description A `suspended` seller can read, but neither charge nor withdraw.
             * @enum {string}
             */
            readonly status: "active" | "suspended";
            /**
             * @description The state of its identification; live needs `approved`.
             * @enum {string}
             */
            readonly kyc_status: "none" | "pending" | "approved" | "rejected";
            /** @description Until when it cannot withdraw; null if it can. */
            readonly payout_locked_until: string | null;
            /** @description Fees and limits. */
            readonly settings: components["schemas"]["SellerSettings"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description The endpoint that was disabled. */
            readonly webhook_endpoint: {
                /** @description The endpoint's id. */
                readonly id: string;
                /**
                 * @description The endpoint's mode.
                 * @enum {string}
                 */
                readonly mode: "live" | "test";
                /** @description The host of its URL. */
                readonly host: string;
            };
        };
        readonly SendReceipt: {
            /** @description Who gets the receipt. */
            readonly email: string;
            /**
             * @description The receipt's language; `pt-BR` by default.
             * @enum {string}
             */
            readonly locale?: "pt-BR" | "en";
        };
        readonly TestClock: {
            /**
             * @description How far this request advanced the clock.
             * @example 3600
             */
            readonly advanced_seconds: number;
            /**
             * Format: date-time
             * @description The current time of the seller's test mode.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly now: string;
        };
        readonly TestTime: {
            /**
             * @description How far all advances together have taken the clock ahead of the true time.
             * @example 3600
             */
            readonly advanced_seconds: number;
            /**
             * Format: date-time
             * @description The current time of the seller's test mode.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly now: string;
        };
        readonly Transaction: {
            /** @description The charge's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "transaction";
            /**
             * @description The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In `test` no money moves.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description `refunded` and `chargeback`: the whole amount went back to the payer.
             * @enum {string}
             */
            readonly status: "pending" | "paid" | "expired" | "failed" | "refunded" | "chargeback";
            /** @description In centavos. */
            readonly amount: number;
            /** @description What we keep when the charge is paid, in centavos. */
            readonly fee: number;
            /** @description `amount` minus `fee`, in centavos. */
            readonly net_amount: number;
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /**
             * @description How it is paid.
             * @enum {string}
             */
            readonly payment_method: "pix";
            /**
             * Format: uri
             * @description The page on which the payer pays: send it, or redirect to it. Whoever has it sees the charge.
             * @example https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk
             */
            readonly payment_url: string;
            /** @description Who pays. */
            readonly customer: {
                /** @description The payer's name. */
                readonly name: string;
                /** @description The payer's e-mail address. */
                readonly email: string;
                /** @description The payer's CPF or CNPJ, without punctuation. */
                readonly document: string;
                /** @description The payer's telephone number, as given. */
                readonly phone: string | null;
            };
            /** @description Your own number or name of the order; null without one. */
            readonly reference: string | null;
            /** @description What is paid for, in a line; null without one. */
            readonly description: string | null;
            /** @description Where the payment page leads once the charge is paid; null without one. */
            readonly return_url: string | null;
            /** @description Whether the payment page shows `reference` and `description`. */
            readonly show_on_page: boolean;
            /**
             * @description The payment link that it was made through; absent without one.
             * @example plk_01KA0000000700000000000000
             */
            readonly payment_link_id?: string;
            /** @description What is paid for. */
            readonly items: readonly {
                /** @description What is sold. */
                readonly name: string;
                /** @description How many of it. */
                readonly quantity: number;
                /** @description In centavos. The items need not add up to the amount. */
                readonly unit_amount: number;
            }[];
            /** @description Your own data. */
            readonly metadata: {
                readonly [key: string]: string | number | boolean;
            };
            /** @description Receives the events of this charge only. */
            readonly postback_url: string | null;
            /** @description How the payer pays: the code and its picture. */
            readonly pix: {
                /** @description The charge's id at the acquirer and the banks. */
                readonly txid: string;
                /** @description The copy-and-paste code (BR Code). */
                readonly payload: string;
                /** @description A PNG image of the code, in base64. */
                readonly qr_base64: string;
                /**
                 * Format: date-time
                 * @description Until when the code can be paid.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly expires_at: string;
            };
            /** @description The bank's id of the payment; set once the charge is paid. */
            readonly end_to_end_id: string | null;
            /** @description Why it failed. */
            readonly failure_reason: string | null;
            /** @description The part of the net amount kept in reserve for a while; null if there is none. */
            readonly reserve: {
                /** @description Centavos that are held back. */
                readonly amount: number;
                /**
                 * Format: date-time
                 * @description When they become available.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly release_at: string;
                /** @description When they became available; null before. */
                readonly released_at: string | null;
            } | null;
            /** @description Centavos that went back to the payer so far; may exceed `amount`. */
            readonly refunded_amount: number;
            /** @description What went back to the payer, in order; a refund's `id` is that of GET /v1/refunds. */
            readonly refunds: readonly {
                /** @description The refund's id; that of GET /v1/refunds. */
                readonly id: string;
                /**
                 * @description `chargeback`: the payer's bank took the money back.
                 * @enum {string}
                 */
                readonly kind: "refund" | "chargeback";
                /** @description Centavos that went back. */
                readonly amount: number;
                /** @description The bank's id of the return. */
                readonly return_id: string | null;
                /**
                 * Format: date-time
                 * @description When the money had gone back.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly created_at: string;
            }[];
            /** @description Payments that do not fit the charge, in order. */
            readonly exceptions: readonly {
                /**
                 * @description How the payment differs from what was asked for.
                 * @enum {string}
                 */
                readonly kind: "late_payment" | "double_payment" | "amount_mismatch";
                /** @description The bank's id of the payment. */
                readonly end_to_end_id: string;
                /** @description Centavos that were paid. */
                readonly amount: number;
                /**
                 * Format: date-time
                 * @description When it was recorded.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly created_at: string;
                /**
                 * Format: date-time
                 * @description When an operator resolved it; absent before.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly resolved_at?: string;
                /**
                 * @description What the operator did; absent before.
                 * @enum {string}
                 */
                readonly act?: "credit" | "refund" | "dismiss";
            }[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description Until when it can be paid.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly expires_at: string;
            /** @description When it was paid; null before. */
            readonly paid_at: string | null;
            /** @description When it expired; null if it has not. */
            readonly expired_at: string | null;
            /** @description When it failed; null if it has not. */
            readonly failed_at: string | null;
            /** @description When the last of the amount was refunded; null before. */
            readonly refunded_at: string | null;
            /** @description When the last of the amount was gone by a chargeback; null before. */
            readonly chargeback_at: string | null;
        };
        /** @description The payer's bank took back a paid charge. */
        readonly TransactionChargebackEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The payer's bank took back a paid charge. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.chargeback";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A charge was created and waits for its payment. */
        readonly TransactionCreatedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A charge was created and waits for its payment. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.created";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: true;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The acquirer received a payment for a charge that does not fit it, or an operator resolved one. */
        readonly TransactionExceptionEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The acquirer received a payment for a charge that does not fit it, or an operator resolved one. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.exception";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The charge was not paid in time. */
        readonly TransactionExpiredEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The charge was not paid in time. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.expired";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The charge can no longer be paid. */
        readonly TransactionFailedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The charge can no longer be paid. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.failed";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The payer's bank paid the charge. */
        readonly TransactionPaidEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The payer's bank paid the charge. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.paid";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description Part of a paid charge went back to its payer; it stays paid. */
        readonly TransactionPartiallyRefundedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description Part of a paid charge went back to its payer; it stays paid. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.partially_refunded";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A paid charge was refunded. */
        readonly TransactionRefundedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A paid charge was refunded. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "transaction.refunded";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Transaction"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        readonly TransactionSummary: {
            /** @description The charge's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "transaction";
            /**
             * @description The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In `test` no money moves.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description `refunded` and `chargeback`: the whole amount went back to the payer.
             * @enum {string}
             */
            readonly status: "pending" | "paid" | "expired" | "failed" | "refunded" | "chargeback";
            /** @description In centavos. */
            readonly amount: number;
            /** @description What we keep when the charge is paid, in centavos. */
            readonly fee: number;
            /** @description `amount` minus `fee`, in centavos. */
            readonly net_amount: number;
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /**
             * @description How it is paid.
             * @enum {string}
             */
            readonly payment_method: "pix";
            /**
             * Format: uri
             * @description The page on which the payer pays: send it, or redirect to it. Whoever has it sees the charge.
             * @example https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk
             */
            readonly payment_url: string;
            /** @description Who pays. */
            readonly customer: {
                /** @description The payer's name. */
                readonly name: string;
                /** @description The payer's e-mail address. */
                readonly email: string;
                /** @description The payer's CPF or CNPJ, without punctuation. */
                readonly document: string;
                /** @description The payer's telephone number, as given. */
                readonly phone: string | null;
            };
            /** @description Your own number or name of the order; null without one. */
            readonly reference: string | null;
            /** @description What is paid for, in a line; null without one. */
            readonly description: string | null;
            /** @description Where the payment page leads once the charge is paid; null without one. */
            readonly return_url: string | null;
            /** @description Whether the payment page shows `reference` and `description`. */
            readonly show_on_page: boolean;
            /**
             * @description The payment link that it was made through; absent without one.
             * @example plk_01KA0000000700000000000000
             */
            readonly payment_link_id?: string;
            /** @description Your own data. */
            readonly metadata: {
                readonly [key: string]: string | number | boolean;
            };
            /** @description Receives the events of this charge only. */
            readonly postback_url: string | null;
            /** @description Its id at the banks, without the code. */
            readonly pix: {
                /** @description The charge's id at the acquirer and the banks. */
                readonly txid: string;
                /**
                 * Format: date-time
                 * @description Until when the code can be paid.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly expires_at: string;
            };
            /** @description The bank's id of the payment; set once the charge is paid. */
            readonly end_to_end_id: string | null;
            /** @description Why it failed. */
            readonly failure_reason: string | null;
            /** @description The part of the net amount kept in reserve for a while; null if there is none. */
            readonly reserve: {
                /** @description Centavos that are held back. */
                readonly amount: number;
                /**
                 * Format: date-time
                 * @description When they become available.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly release_at: string;
                /** @description When they became available; null before. */
                readonly released_at: string | null;
            } | null;
            /** @description Centavos that went back to the payer so far; may exceed `amount`. */
            readonly refunded_amount: number;
            /** @description What went back to the payer, in order; a refund's `id` is that of GET /v1/refunds. */
            readonly refunds: readonly {
                /** @description The refund's id; that of GET /v1/refunds. */
                readonly id: string;
                /**
                 * @description `chargeback`: the payer's bank took the money back.
                 * @enum {string}
                 */
                readonly kind: "refund" | "chargeback";
                /** @description Centavos that went back. */
                readonly amount: number;
                /** @description The bank's id of the return. */
                readonly return_id: string | null;
                /**
                 * Format: date-time
                 * @description When the money had gone back.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly created_at: string;
            }[];
            /** @description Payments that do not fit the charge, in order. */
            readonly exceptions: readonly {
                /**
                 * @description How the payment differs from what was asked for.
                 * @enum {string}
                 */
                readonly kind: "late_payment" | "double_payment" | "amount_mismatch";
                /** @description The bank's id of the payment. */
                readonly end_to_end_id: string;
                /** @description Centavos that were paid. */
                readonly amount: number;
                /**
                 * Format: date-time
                 * @description When it was recorded.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly created_at: string;
                /**
                 * Format: date-time
                 * @description When an operator resolved it; absent before.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                readonly resolved_at?: string;
                /**
                 * @description What the operator did; absent before.
                 * @enum {string}
                 */
                readonly act?: "credit" | "refund" | "dismiss";
            }[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description Until when it can be paid.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly expires_at: string;
            /** @description When it was paid; null before. */
            readonly paid_at: string | null;
            /** @description When it expired; null if it has not. */
            readonly expired_at: string | null;
            /** @description When it failed; null if it has not. */
            readonly failed_at: string | null;
            /** @description When the last of the amount was refunded; null before. */
            readonly refunded_at: string | null;
            /** @description When the last of the amount was gone by a chargeback; null before. */
            readonly chargeback_at: string | null;
        };
        readonly TransactionSums: {
            /** @description How many charges. */
            readonly count: number;
            /** @description Their amounts, in centavos, paid or not. */
            readonly amount: number;
            /** @description The amounts of those that were paid, in centavos. */
            readonly gross: number;
            /** @description What we kept of those that were paid, in centavos. */
            readonly fees: number;
            /** @description What went back to the payers, in centavos. */
            readonly refunded: number;
            /** @description `gross` minus `fees` and `refunded`, in centavos. */
            readonly net: number;
        };
        readonly TransactionTotals: {
            /** @description How many charges. */
            readonly count: number;
            /** @description Their amounts, in centavos, paid or not. */
            readonly amount: number;
            /** @description The amounts of those that were paid, in centavos. */
            readonly gross: number;
            /** @description What we kept of those that were paid, in centavos. */
            readonly fees: number;
            /** @description What went back to the payers, in centavos. */
            readonly refunded: number;
            /** @description `gross` minus `fees` and `refunded`, in centavos. */
            readonly net: number;
            /** @description The same by the charges' status. */
            readonly by_status: {
                /** @description Of those that are pending. */
                readonly pending: components["schemas"]["TransactionSums"];
                /** @description Of those that are paid. */
                readonly paid: components["schemas"]["TransactionSums"];
                /** @description Of those that are expired. */
                readonly expired: components["schemas"]["TransactionSums"];
                /** @description Of those that are failed. */
                readonly failed: components["schemas"]["TransactionSums"];
                /** @description Of those that are refunded. */
                readonly refunded: components["schemas"]["TransactionSums"];
                /** @description Of those that are chargeback. */
                readonly chargeback: components["schemas"]["TransactionSums"];
            };
            /** @description Whether every charge of the list was added up; else those since `since`, which are the newest. */
            readonly complete: boolean;
            /** @description Where not complete: when the oldest charge that was added up was created; else null. */
            readonly since: string | null;
        };
        readonly Withdrawal: {
            /** @description The withdrawal's id. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "withdrawal";
            /**
             * @description The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In `test` no money moves.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * @description `awaiting` approval, `approved`, `processing` at the bank; the others are final.
             * @enum {string}
             */
            readonly status: "awaiting" | "approved" | "rejected" | "processing" | "successful" | "failed" | "cancelled";
            /** @description Centavos that arrive at the bank account. */
            readonly amount: number;
            /** @description What we keep when the withdrawal arrives, in centavos. */
            readonly fee: number;
            /** @description Centavos that leave the balance: `amount` plus `fee`. */
            readonly total: number;
            /**
             * @description The currency (ISO 4217).
             * @enum {string}
             */
            readonly currency: "BRL";
            /** @description As requested. */
            readonly description: string | null;
            /** @description The Pix key it is paid to. */
            readonly pix_key_id: string;
            /** @description As it was when the withdrawal was requested; the value is masked. */
            readonly pix_key: {
                /**
                 * @description The kind of Pix key.
                 * @enum {string}
                 */
                readonly type: "cpf" | "cnpj" | "email" | "phone" | "evp";
                /** @description The key, masked. */
                readonly value: string;
            };
            /** @description The bank's id of the transfer; set once it succeeds. */
            readonly end_to_end_id: string | null;
            /** @description Why it failed or was rejected. */
            readonly failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly updated_at: string;
            /** @description When it was approved; null before. */
            readonly approved_at: string | null;
            /** @description When it went to the bank; null before. */
            readonly processing_at: string | null;
            /** @description When it reached its final status; null before. */
            readonly completed_at: string | null;
            /** @description When the bank gave it back after it had succeeded; absent before. */
            readonly returned_at?: string | null;
            /** @description Centavos that the bank gave back and that a debit did not take again; absent before. */
            readonly returned_amount?: number;
            /** @description Centavos that the bank paid beyond what had been settled: all of one that ended without money. Absent until a debit. */
            readonly debited_amount?: number;
        };
        /** @description A withdrawal was approved. */
        readonly WithdrawalApprovedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A withdrawal was approved. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.approved";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A withdrawal was requested; its funds are held. */
        readonly WithdrawalAwaitingEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A withdrawal was requested; its funds are held. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.awaiting";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The seller cancelled a withdrawal; its funds are available again. */
        readonly WithdrawalCancelledEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The seller cancelled a withdrawal; its funds are available again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.cancelled";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The bank executed a withdrawal that had ended without money; its amount and fee were debited. */
        readonly WithdrawalDebitedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The bank executed a withdrawal that had ended without money; its amount and fee were debited. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.debited";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A withdrawal failed; its funds are available again. */
        readonly WithdrawalFailedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A withdrawal failed; its funds are available again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.failed";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The bank is processing a withdrawal. */
        readonly WithdrawalProcessingEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The bank is processing a withdrawal. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.processing";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A withdrawal was rejected; its funds are available again. */
        readonly WithdrawalRejectedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A withdrawal was rejected; its funds are available again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.rejected";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description The bank gave back a withdrawal that had succeeded; its amount is available again. */
        readonly WithdrawalReturnedEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description The bank gave back a withdrawal that had succeeded; its amount is available again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.returned";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
        /** @description A withdrawal arrived at the bank account. */
        readonly WithdrawalSuccessfulEvent: {
            /** @description The same in every delivery of the event: use it to recognise repeats. */
            readonly id: string;
            /**
             * @description The kind of resource.
             * @enum {string}
             */
            readonly object: "event";
            /**
             * @description A withdrawal arrived at the bank account. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "withdrawal.successful";
            /**
             * @description The mode it happened in.
             * @enum {string}
             */
            readonly mode: "live" | "test";
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-21T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description Contiguous from 1 per seller and mode. */
            readonly seq: number;
            /**
             * @description The resource's `trace_id`; absent where the resource has none.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            readonly trace_id?: string;
            /**
             * @description In the feed (list, single event, stream) only; deliveries have none.
             * @enum {boolean}
             */
            readonly internal?: false;
            /** @description What it happened to. */
            readonly data: {
                /** @description The resource as it was at that moment. */
                readonly object: components["schemas"]["Withdrawal"];
            };
            /**
             * @description Only on test deliveries that a seller asked for: an example, and nothing happened.
             * @enum {boolean}
             */
            readonly test_event?: true;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listTransactions: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description 1 to 5 words: only charges that have each as the beginning of a word of the payer's name, of the e-mail, of a word of `reference` or of the order in `metadata`, of the first six digits or more of the document, or as an id or the six digits in the middle of a CPF. */
                readonly q?: string;
                /** @description Only charges of this customer, and of those that were merged into it. */
                readonly customer_id?: string;
                /** @description Only those with this status. */
                readonly status?: "pending" | "paid" | "expired" | "failed" | "refunded" | "chargeback";
                /** @description Only charges of this amount or more, in centavos. */
                readonly amount_min?: number;
                /** @description Only charges of this amount or less, in centavos. */
                readonly amount_max?: number;
                /** @description `true`: only charges of which something went back to the payer. `false`: only others. */
                readonly has_refund?: boolean;
                /** @description Only charges made through this payment link. */
                readonly payment_link_id?: string;
                /** @description `summary` leaves out `items`, `pix.payload` and `pix.qr_base64`: a quarter of the bytes. */
                readonly view?: "full" | "summary";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "txn_01KA0000000700000000000000",
                     *           "object": "transaction",
                     *           "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *           "mode": "test",
                     *           "status": "pending",
                     *           "amount": 12990,
                     *           "fee": 0,
                     *           "net_amount": 12990,
                     *           "currency": "BRL",
                     *           "payment_method": "pix",
                     *           "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *           "customer": {
                     *             "name": "Ana Souza",
                     *             "email": "ana@example.com",
                     *             "document": "52998224725",
                     *             "phone": null
                     *           },
                     *           "reference": "A-1001",
                     *           "description": "Assinatura de novembro",
                     *           "return_url": "https://shop.example/orders/A-1001",
                     *           "show_on_page": true,
                     *           "items": [
                     *             {
                     *               "name": "Assinatura",
                     *               "quantity": 1,
                     *               "unit_amount": 12990
                     *             }
                     *           ],
                     *           "metadata": {
                     *             "order_id": "A-1001"
                     *           },
                     *           "postback_url": null,
                     *           "pix": {
                     *             "txid": "01KA0000000700000000000000ABCDEF",
                     *             "payload": "00020101021226...",
                     *             "qr_base64": "iVBORw0KGgo...",
                     *             "expires_at": "2026-11-22T12:00:00.000Z"
                     *           },
                     *           "end_to_end_id": null,
                     *           "failure_reason": null,
                     *           "reserve": null,
                     *           "refunded_amount": 0,
                     *           "refunds": [],
                     *           "exceptions": [],
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-22T12:00:00.000Z",
                     *           "paid_at": null,
                     *           "expired_at": null,
                     *           "failed_at": null,
                     *           "refunded_at": null,
                     *           "chargeback_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly (components["schemas"]["Transaction"] | components["schemas"]["TransactionSummary"])[];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly createTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description A text of your choice that names this operation. The same key with the same body returns the saved response, with `Idempotent-Replayed: true`. */
                readonly "Idempotency-Key": string;
                /** @description W3C Trace Context: its trace id becomes the resource's `trace_id`. An invalid one counts as absent; then one is made. */
                readonly Traceparent?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1990,
                 *       "payment_method": "pix",
                 *       "customer": {
                 *         "name": "Ana Souza",
                 *         "email": "ana@example.com",
                 *         "document": "529.982.247-25"
                 *       },
                 *       "items": [
                 *         {
                 *           "name": "Camiseta",
                 *           "quantity": 1,
                 *           "unit_amount": 1990
                 *         }
                 *       ],
                 *       "reference": "1042"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateTransaction"];
            };
        };
        readonly responses: {
            /** @description Transaction */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly getTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly exportTransactions: {
        readonly parameters: {
            readonly query?: {
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description 1 to 5 words: only charges that have each as the beginning of a word of the payer's name, of the e-mail, of a word of `reference` or of the order in `metadata`, of the first six digits or more of the document, or as an id or the six digits in the middle of a CPF. */
                readonly q?: string;
                /** @description Only charges of this customer, and of those that were merged into it. */
                readonly customer_id?: string;
                /** @description Only those with this status. */
                readonly status?: "pending" | "paid" | "expired" | "failed" | "refunded" | "chargeback";
                /** @description Only charges of this amount or more, in centavos. */
                readonly amount_min?: number;
                /** @description Only charges of this amount or less, in centavos. */
                readonly amount_max?: number;
                /** @description `true`: only charges of which something went back to the payer. `false`: only others. */
                readonly has_refund?: boolean;
                /** @description Only charges made through this payment link. */
                readonly payment_link_id?: string;
                /** @description The kind of file. */
                readonly format?: "csv" | "xlsx" | "ndjson";
                /** @description `pt-BR`, the default: words in Portuguese, and CSV for a spreadsheet in Brazil, with semicolons, decimal commas and a byte order mark. `en`: English words, and CSV by RFC 4180. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV: a header and one line for each charge, newest first; amounts in reais. | JSON lines: one line for each charge, newest first, each a JSON object; amounts are integers in centavos. | An Excel workbook: a row of titles and one line for each charge, newest first; amounts and dates are numbers with a format. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Cobrança;Situação;Criada em;Paga em;Pagador;Documento;E-mail;Pedido;txid;end_to_end_id;Valor;Bruto;Tarifa;Devolvido e contestado;Líquido
                     *     txn_01KA0000000700000000000000;Paga;21/11/2026 09:00:00;21/11/2026 09:00:12;Ana Souza;529.982.247-25;ana@example.com;A-1001;01KA0000000700000000000000ABCDEF;E1234567820261121120012345678901;129,90;129,90;1,30;0,00;128,60
                     */
                    readonly "text/csv": string;
                    /** @example {"id":"txn_01KA0000000700000000000000","status":"paid","created_at":"2026-11-21T12:00:00.000Z","paid_at":"2026-11-21T12:00:12.000Z","payer":"Ana Souza","document":"52998224725","email":"ana@example.com","reference":"A-1001","txid":"01KA0000000700000000000000ABCDEF","end_to_end_id":"E1234567820261121120012345678901","amount":12990,"gross":12990,"fee":130,"refunded":0,"net":12860} */
                    readonly "application/x-ndjson": string;
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    readonly summarizeTransactions: {
        readonly parameters: {
            readonly query?: {
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description 1 to 5 words: only charges that have each as the beginning of a word of the payer's name, of the e-mail, of a word of `reference` or of the order in `metadata`, of the first six digits or more of the document, or as an id or the six digits in the middle of a CPF. */
                readonly q?: string;
                /** @description Only charges of this customer, and of those that were merged into it. */
                readonly customer_id?: string;
                /** @description Only those with this status. */
                readonly status?: "pending" | "paid" | "expired" | "failed" | "refunded" | "chargeback";
                /** @description Only charges of this amount or more, in centavos. */
                readonly amount_min?: number;
                /** @description Only charges of this amount or less, in centavos. */
                readonly amount_max?: number;
                /** @description `true`: only charges of which something went back to the payer. `false`: only others. */
                readonly has_refund?: boolean;
                /** @description Only charges made through this payment link. */
                readonly payment_link_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description TransactionTotals */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 2,
                     *       "amount": 25980,
                     *       "gross": 25980,
                     *       "fees": 260,
                     *       "refunded": 0,
                     *       "net": 25720,
                     *       "by_status": {
                     *         "pending": {
                     *           "count": 0,
                     *           "amount": 0,
                     *           "gross": 0,
                     *           "fees": 0,
                     *           "refunded": 0,
                     *           "net": 0
                     *         },
                     *         "paid": {
                     *           "count": 2,
                     *           "amount": 25980,
                     *           "gross": 25980,
                     *           "fees": 260,
                     *           "refunded": 0,
                     *           "net": 25720
                     *         },
                     *         "expired": {
                     *           "count": 0,
                     *           "amount": 0,
                     *           "gross": 0,
                     *           "fees": 0,
                     *           "refunded": 0,
                     *           "net": 0
                     *         },
                     *         "failed": {
                     *           "count": 0,
                     *           "amount": 0,
                     *           "gross": 0,
                     *           "fees": 0,
                     *           "refunded": 0,
                     *           "net": 0
                     *         },
                     *         "refunded": {
                     *           "count": 0,
                     *           "amount": 0,
                     *           "gross": 0,
                     *           "fees": 0,
                     *           "refunded": 0,
                     *           "net": 0
                     *         },
                     *         "chargeback": {
                     *           "count": 0,
                     *           "amount": 0,
                     *           "gross": 0,
                     *           "fees": 0,
                     *           "refunded": 0,
                     *           "net": 0
                     *         }
                     *       },
                     *       "complete": true,
                     *       "since": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["TransactionTotals"];
                };
            };
        };
    };
    readonly createRefund: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description A text of your choice that names this operation. The same key with the same body returns the saved response, with `Idempotent-Replayed: true`. */
                readonly "Idempotency-Key": string;
                /** @description W3C Trace Context: its trace id becomes the resource's `trace_id`. An invalid one counts as absent; then one is made. */
                readonly Traceparent?: string;
            };
            readonly path: {
                /** @description The charge's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 500,
                 *       "reason": "One of two shirts came back"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateRefund"];
            };
        };
        readonly responses: {
            /** @description Refund */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rfd_01KA0000000700000000000000",
                     *       "object": "refund",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "transaction_id": "txn_01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "amount": 500,
                     *       "currency": "BRL",
                     *       "status": "pending",
                     *       "reason": "One of two shirts came back",
                     *       "origin": "seller",
                     *       "failure_code": null,
                     *       "failure_reason": null,
                     *       "return_id": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Refund"];
                };
            };
        };
    };
    readonly getRefund: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Refund */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rfd_01KA0000000700000000000000",
                     *       "object": "refund",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "transaction_id": "txn_01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "amount": 500,
                     *       "currency": "BRL",
                     *       "status": "pending",
                     *       "reason": "One of two shirts came back",
                     *       "origin": "seller",
                     *       "failure_code": null,
                     *       "failure_reason": null,
                     *       "return_id": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Refund"];
                };
            };
        };
    };
    readonly listRefunds: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only those with this status. */
                readonly status?: "pending" | "processing" | "succeeded" | "failed";
                /** @description Only refunds of this charge. */
                readonly transaction_id?: string;
                /** @description `statement` adds the `charge` of each refund. Default `full`, which is without. */
                readonly view?: "full" | "statement";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "rfd_01KA0000000700000000000000",
                     *           "object": "refund",
                     *           "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *           "transaction_id": "txn_01KA0000000700000000000000",
                     *           "mode": "test",
                     *           "amount": 500,
                     *           "currency": "BRL",
                     *           "status": "pending",
                     *           "reason": "One of two shirts came back",
                     *           "origin": "seller",
                     *           "failure_code": null,
                     *           "failure_reason": null,
                     *           "return_id": null,
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "updated_at": "2026-11-21T12:00:00.000Z",
                     *           "completed_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["ListedRefund"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly exportRefunds: {
        readonly parameters: {
            readonly query?: {
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only those with this status. */
                readonly status?: "pending" | "processing" | "succeeded" | "failed";
                /** @description Only refunds of this charge. */
                readonly transaction_id?: string;
                /** @description The kind of file. */
                readonly format?: "csv" | "xlsx" | "ndjson";
                /** @description `pt-BR`, the default: words in Portuguese, and CSV for a spreadsheet in Brazil, with semicolons, decimal commas and a byte order mark. `en`: English words, and CSV by RFC 4180. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV: a header and one line for each refund, newest first; amounts in reais. | JSON lines: one line for each refund, newest first, each a JSON object; amounts are integers in centavos. | An Excel workbook: a row of titles and one line for each refund, newest first; amounts and dates are numbers with a format. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Devolução;Situação;Pedida em;Concluída em;Valor;Motivo;Cobrança;Pagador;CPF/CNPJ;Pedido;end_to_end_id;Id da devolução;Falha
                     *     rfd_01KA0000000700000000000000;Devolvida;21/11/2026 09:00:00;21/11/2026 09:00:12;5,00;Troca;txn_01KA0000000700000000000000;Ana Souza;529.982.247-25;A-1001;E1234567820261121120012345678901;D1234567820261121120012345678901;
                     */
                    readonly "text/csv": string;
                    /** @example {"id":"rfd_01KA0000000700000000000000","status":"succeeded","created_at":"2026-11-21T12:00:00.000Z","completed_at":"2026-11-21T12:00:12.000Z","amount":500,"reason":"Troca","origin":"seller","transaction_id":"txn_01KA0000000700000000000000","payer":"Ana Souza","document":"52998224725","reference":"A-1001","end_to_end_id":"E1234567820261121120012345678901","return_id":"D1234567820261121120012345678901","failure_code":null,"failure_reason":null} */
                    readonly "application/x-ndjson": string;
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    readonly listPaymentLinks: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only those that are switched on, or off. */
                readonly active?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "plk_01KA0000000700000000000000",
                     *           "object": "payment_link",
                     *           "url": "https://pay.example.com/l/01KA0000000700000000000000",
                     *           "mode": "test",
                     *           "active": true,
                     *           "title": "Oficina de cerâmica",
                     *           "description": "Sábado, das 14h às 17h",
                     *           "amount": 12000,
                     *           "amount_min": null,
                     *           "amount_max": null,
                     *           "expires_at": "2026-12-05T17:00:00.000Z",
                     *           "payments_max": 20,
                     *           "reference": "oficina-dez",
                     *           "return_url": null,
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "payments": 8,
                     *           "paid_amount": 96000,
                     *           "pending_payments": 1
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["PaymentLink"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly createPaymentLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description A text of your choice that names this operation. The same key with the same body returns the saved response, with `Idempotent-Replayed: true`. */
                readonly "Idempotency-Key": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "title": "Oficina de cerâmica",
                 *       "amount": 12000,
                 *       "payments_max": 20,
                 *       "reference": "oficina-dez"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreatePaymentLink"];
            };
        };
        readonly responses: {
            /** @description PaymentLink */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "plk_01KA0000000700000000000000",
                     *       "object": "payment_link",
                     *       "url": "https://pay.example.com/l/01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "active": true,
                     *       "title": "Oficina de cerâmica",
                     *       "description": "Sábado, das 14h às 17h",
                     *       "amount": 12000,
                     *       "amount_min": null,
                     *       "amount_max": null,
                     *       "expires_at": "2026-12-05T17:00:00.000Z",
                     *       "payments_max": 20,
                     *       "reference": "oficina-dez",
                     *       "return_url": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "payments": 8,
                     *       "paid_amount": 96000,
                     *       "pending_payments": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PaymentLink"];
                };
            };
        };
    };
    readonly getPaymentLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description PaymentLink */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "plk_01KA0000000700000000000000",
                     *       "object": "payment_link",
                     *       "url": "https://pay.example.com/l/01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "active": true,
                     *       "title": "Oficina de cerâmica",
                     *       "description": "Sábado, das 14h às 17h",
                     *       "amount": 12000,
                     *       "amount_min": null,
                     *       "amount_max": null,
                     *       "expires_at": "2026-12-05T17:00:00.000Z",
                     *       "payments_max": 20,
                     *       "reference": "oficina-dez",
                     *       "return_url": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "payments": 8,
                     *       "paid_amount": 96000,
                     *       "pending_payments": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PaymentLink"];
                };
            };
        };
    };
    readonly changePaymentLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "active": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangePaymentLink"];
            };
        };
        readonly responses: {
            /** @description PaymentLink */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "plk_01KA0000000700000000000000",
                     *       "object": "payment_link",
                     *       "url": "https://pay.example.com/l/01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "active": true,
                     *       "title": "Oficina de cerâmica",
                     *       "description": "Sábado, das 14h às 17h",
                     *       "amount": 12000,
                     *       "amount_min": null,
                     *       "amount_max": null,
                     *       "expires_at": "2026-12-05T17:00:00.000Z",
                     *       "payments_max": 20,
                     *       "reference": "oficina-dez",
                     *       "return_url": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "payments": 8,
                     *       "paid_amount": 96000,
                     *       "pending_payments": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PaymentLink"];
                };
            };
        };
    };
    readonly listCustomers: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only customers whose newest charge was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only customers whose newest charge was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description 1 to 5 words: only customers that have each as the beginning of a word of the name, of the e-mail, or of the first six digits or more of the document, or as the six digits in the middle of a CPF; 11 digits are a whole CPF. */
                readonly q?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "cus_0G3T8QWERY07ABCDEFGHJKMNPQ",
                     *           "object": "customer",
                     *           "name": "Ana Souza",
                     *           "email": "ana@example.com",
                     *           "document": "52998224725",
                     *           "phone": null,
                     *           "charges": 2,
                     *           "paid_amount": 25980,
                     *           "refunded_amount": 12990,
                     *           "first_charge_at": "2026-11-21T12:00:00.000Z",
                     *           "last_charge_at": "2026-11-28T15:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["Customer"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly getCustomer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Customer */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cus_0G3T8QWERY07ABCDEFGHJKMNPQ",
                     *       "object": "customer",
                     *       "name": "Ana Souza",
                     *       "email": "ana@example.com",
                     *       "document": "52998224725",
                     *       "phone": null,
                     *       "charges": 2,
                     *       "paid_amount": 25980,
                     *       "refunded_amount": 12990,
                     *       "first_charge_at": "2026-11-21T12:00:00.000Z",
                     *       "last_charge_at": "2026-11-28T15:30:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Customer"];
                };
            };
        };
    };
    readonly getTransactionCustomer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Customer */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cus_0G3T8QWERY07ABCDEFGHJKMNPQ",
                     *       "object": "customer",
                     *       "name": "Ana Souza",
                     *       "email": "ana@example.com",
                     *       "document": "52998224725",
                     *       "phone": null,
                     *       "charges": 2,
                     *       "paid_amount": 25980,
                     *       "refunded_amount": 12990,
                     *       "first_charge_at": "2026-11-21T12:00:00.000Z",
                     *       "last_charge_at": "2026-11-28T15:30:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Customer"];
                };
            };
        };
    };
    readonly listWithdrawals: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only those with this status. */
                readonly status?: "awaiting" | "approved" | "rejected" | "processing" | "successful" | "failed" | "cancelled";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "wd_01KA0000000700000000000000",
                     *           "object": "withdrawal",
                     *           "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *           "mode": "test",
                     *           "status": "awaiting",
                     *           "amount": 10000,
                     *           "fee": 100,
                     *           "total": 10100,
                     *           "currency": "BRL",
                     *           "description": "November",
                     *           "pix_key_id": "pk_01KA0000000700000000000000",
                     *           "pix_key": {
                     *             "type": "cpf",
                     *             "value": "***.982.247-**"
                     *           },
                     *           "end_to_end_id": null,
                     *           "failure_reason": null,
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "updated_at": "2026-11-21T12:00:00.000Z",
                     *           "approved_at": null,
                     *           "processing_at": null,
                     *           "completed_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["Withdrawal"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly createWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description A text of your choice that names this operation. The same key with the same body returns the saved response, with `Idempotent-Replayed: true`. */
                readonly "Idempotency-Key": string;
                /** @description W3C Trace Context: its trace id becomes the resource's `trace_id`. An invalid one counts as absent; then one is made. */
                readonly Traceparent?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 10000,
                 *       "pix_key_id": "pk_01KAH2Q7C8000000000000000A",
                 *       "description": "November"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateWithdrawal"];
            };
        };
        readonly responses: {
            /** @description Withdrawal */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly getWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly exportWithdrawals: {
        readonly parameters: {
            readonly query?: {
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only those with this status. */
                readonly status?: "awaiting" | "approved" | "rejected" | "processing" | "successful" | "failed" | "cancelled";
                /** @description The kind of file. */
                readonly format?: "csv" | "xlsx" | "ndjson";
                /** @description `pt-BR`, the default: words in Portuguese, and CSV for a spreadsheet in Brazil, with semicolons, decimal commas and a byte order mark. `en`: English words, and CSV by RFC 4180. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV: a header and one line for each withdrawal, newest first; amounts in reais. | JSON lines: one line for each withdrawal, newest first, each a JSON object; amounts are integers in centavos. | An Excel workbook: a row of titles and one line for each withdrawal, newest first; amounts and dates are numbers with a format. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Saque;Situação;Pedido em;Concluído em;Valor;Tarifa;Total;Chave Pix;Descrição;end_to_end_id;Devolvido pelo banco;Debitado depois;Falha
                     *     wd_01KA0000000700000000000000;Concluído;21/11/2026 09:00:00;21/11/2026 09:00:12;100,00;1,00;101,00;***.982.247-**;November;E1234567820261121120012345678901;0,00;0,00;
                     */
                    readonly "text/csv": string;
                    /** @example {"id":"wd_01KA0000000700000000000000","status":"successful","created_at":"2026-11-21T12:00:00.000Z","completed_at":"2026-11-21T12:00:12.000Z","amount":10000,"fee":100,"total":10100,"pix_key_id":"pk_01KA0000000700000000000000","pix_key_type":"cpf","pix_key":"***.982.247-**","description":"November","end_to_end_id":"E1234567820261121120012345678901","returned_amount":0,"debited_amount":0,"failure_reason":null} */
                    readonly "application/x-ndjson": string;
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    readonly cancelWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly getBalance: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Balance */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "balance",
                     *       "mode": "test",
                     *       "currency": "BRL",
                     *       "available": 12990,
                     *       "reserve": 0,
                     *       "pending_withdraw": 0,
                     *       "pending_refund": 0
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Balance"];
                };
            };
        };
    };
    readonly getBalanceReleases: {
        readonly parameters: {
            readonly query?: {
                /** @description How many days to look ahead, today included. */
                readonly days?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description BalanceReleases */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "balance_releases",
                     *       "mode": "test",
                     *       "currency": "BRL",
                     *       "reserve": 3990,
                     *       "data": [
                     *         {
                     *           "date": "2026-12-21",
                     *           "amount": 1290,
                     *           "charges": 1
                     *         },
                     *         {
                     *           "date": "2026-12-22",
                     *           "amount": 2700,
                     *           "charges": 3
                     *         }
                     *       ],
                     *       "later": 0
                     *     }
                     */
                    readonly "application/json": components["schemas"]["BalanceReleases"];
                };
            };
        };
    };
    readonly listLedger: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only entries of this charge and of its refunds. */
                readonly transaction_id?: string;
                /** @description Only entries of this charge, refund or withdrawal. */
                readonly resource_id?: string;
                /** @description Only entries of these kinds, comma-separated. */
                readonly kinds?: string;
                /** @description `statement` adds the `charge` or `withdrawal` of each entry. Default `full`, which is without. */
                readonly view?: "full" | "statement";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "le_01KA0000000700000000000000",
                     *           "object": "ledger_entry",
                     *           "kind": "charge_paid",
                     *           "mode": "test",
                     *           "resource_type": "transaction",
                     *           "resource_id": "txn_01KA0000000700000000000000",
                     *           "event_id": "evt_01KA0000000700000000000000",
                     *           "postings": [
                     *             {
                     *               "bucket": "external",
                     *               "amount": -12990
                     *             },
                     *             {
                     *               "bucket": "available",
                     *               "amount": 12990
                     *             }
                     *           ],
                     *           "balance": {
                     *             "available": 12990,
                     *             "reserve": 0,
                     *             "pending_withdraw": 0,
                     *             "pending_refund": 0
                     *           },
                     *           "created_at": "2026-11-21T12:03:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["LedgerEntry"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly getStatement: {
        readonly parameters: {
            readonly query: {
                /** @description The first day, in America/Sao_Paulo. */
                readonly from: string;
                /** @description The last day, in America/Sao_Paulo: at most 366 days with both included. */
                readonly to: string;
            };
            readonly header?: {
                /** @description `application/x-ndjson` asks for JSON lines; anything else for CSV. */
                readonly Accept?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV (RFC 4180): a header and one line for each ledger entry that moves `available`, oldest first. | The same, each line a JSON object with the CSV's fields; amounts are integers in centavos. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example date,time,entry_id,kind,resource_id,description,credit,debit,balance
                     *     2026-11-21,09:03:00,le_01KA0000000700000000000000,charge_paid,txn_01KA0000000700000000000000,Charge paid,129.90,,129.90
                     */
                    readonly "text/csv": string;
                    /** @example {"date":"2026-11-21","time":"09:03:00","entry_id":"le_01KA0000000700000000000000","kind":"charge_paid","resource_id":"txn_01KA0000000700000000000000","description":"Charge paid","credit":12990,"debit":0,"balance":12990} */
                    readonly "application/x-ndjson": string;
                };
            };
        };
    };
    readonly exportStatement: {
        readonly parameters: {
            readonly query: {
                /** @description The first day, in America/Sao_Paulo. */
                readonly from: string;
                /** @description The last day, in America/Sao_Paulo: at most 366 days with both included. */
                readonly to: string;
                /** @description The kind of file. */
                readonly format: "csv" | "xlsx" | "ndjson" | "ofx";
                /** @description `pt-BR`, the default: words in Portuguese, and CSV for a spreadsheet in Brazil, with semicolons, decimal commas and a byte order mark. `en`: English words, and CSV by RFC 4180. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV: a header and one line for each ledger entry that moves `available`, oldest first; amounts in reais. | JSON lines: one line for each ledger entry that moves `available`, oldest first, each a JSON object; amounts are integers in centavos. | An Excel workbook: a row of titles and one line for each ledger entry that moves `available`, oldest first; amounts and dates are numbers with a format. | OFX 1.0.2 for accounting programs: a transaction for each of these entries, and the balance after them. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Data;Hora;O que houve;Pagador;CPF/CNPJ;Pedido;txid;end_to_end_id;Bruto;Tarifa;Líquido;Entrada;Saída;Saldo
                     *     21/11/2026;09:03:00;Venda;Ana Souza;529.982.247-25;A-1001;01KA0000000700000000000000ABCDEF;E000000002026112112031234567890A;129,90;1,00;128,90;128,90;;128,90
                     */
                    readonly "text/csv": string;
                    /** @example {"date":"2026-11-21","time":"09:03:00","entry_id":"le_01KA0000000700000000000000","kind":"charge_paid","resource_id":"txn_01KA0000000700000000000000","description":"Venda","payer":"Ana Souza","document":"52998224725","reference":"A-1001","txid":"01KA0000000700000000000000ABCDEF","end_to_end_id":"E000000002026112112031234567890A","gross":12990,"fee":100,"net":12890,"credit":12890,"debit":0,"balance":12890} */
                    readonly "application/x-ndjson": string;
                    /**
                     * @example <STMTTRN>
                     *     <TRNTYPE>CREDIT</TRNTYPE>
                     *     <DTPOSTED>20261121090300[-3:BRT]</DTPOSTED>
                     *     <TRNAMT>128.90</TRNAMT>
                     *     <FITID>le_01KA0000000700000000000000</FITID>
                     *     <MEMO>Venda - Ana Souza - A-1001</MEMO>
                     *     </STMTTRN>
                     */
                    readonly "application/x-ofx": string;
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Comma-separated event types or families such as `transaction.*`; all by default. */
                readonly types?: string;
                /** @description Only events of this kind of resource. */
                readonly resource_type?: "transaction" | "withdrawal" | "refund" | "exception";
                /** @description Only events of this resource. */
                readonly resource_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01KA0000000700000000000000",
                     *           "object": "event",
                     *           "type": "transaction.paid",
                     *           "mode": "test",
                     *           "created_at": "2026-11-21T12:04:00.000Z",
                     *           "seq": 2,
                     *           "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *           "internal": false,
                     *           "data": {
                     *             "object": {
                     *               "id": "txn_01KA0000000700000000000000",
                     *               "object": "transaction",
                     *               "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *               "mode": "test",
                     *               "status": "paid",
                     *               "amount": 12990,
                     *               "fee": 0,
                     *               "net_amount": 12990,
                     *               "currency": "BRL",
                     *               "payment_method": "pix",
                     *               "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *               "customer": {
                     *                 "name": "Ana Souza",
                     *                 "email": "ana@example.com",
                     *                 "document": "52998224725",
                     *                 "phone": null
                     *               },
                     *               "reference": "A-1001",
                     *               "description": "Assinatura de novembro",
                     *               "return_url": "https://shop.example/orders/A-1001",
                     *               "show_on_page": true,
                     *               "items": [
                     *                 {
                     *                   "name": "Assinatura",
                     *                   "quantity": 1,
                     *                   "unit_amount": 12990
                     *                 }
                     *               ],
                     *               "metadata": {
                     *                 "order_id": "A-1001"
                     *               },
                     *               "postback_url": null,
                     *               "pix": {
                     *                 "txid": "01KA0000000700000000000000ABCDEF",
                     *                 "payload": "00020101021226...",
                     *                 "qr_base64": "iVBORw0KGgo...",
                     *                 "expires_at": "2026-11-22T12:00:00.000Z"
                     *               },
                     *               "end_to_end_id": "E00000000202611211203ABCDEFGHIJK",
                     *               "failure_reason": null,
                     *               "reserve": null,
                     *               "refunded_amount": 0,
                     *               "refunds": [],
                     *               "exceptions": [],
                     *               "created_at": "2026-11-21T12:00:00.000Z",
                     *               "expires_at": "2026-11-22T12:00:00.000Z",
                     *               "paid_at": "2026-11-21T12:03:00.000Z",
                     *               "expired_at": null,
                     *               "failed_at": null,
                     *               "refunded_at": null,
                     *               "chargeback_at": null
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["Event"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly getEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What happened, and the resource as it was then. Ignore types that you do not know. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "evt_01KA0000000700000000000000",
                     *       "object": "event",
                     *       "type": "transaction.paid",
                     *       "mode": "test",
                     *       "created_at": "2026-11-21T12:04:00.000Z",
                     *       "seq": 2,
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "internal": false,
                     *       "data": {
                     *         "object": {
                     *           "id": "txn_01KA0000000700000000000000",
                     *           "object": "transaction",
                     *           "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *           "mode": "test",
                     *           "status": "paid",
                     *           "amount": 12990,
                     *           "fee": 0,
                     *           "net_amount": 12990,
                     *           "currency": "BRL",
                     *           "payment_method": "pix",
                     *           "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *           "customer": {
                     *             "name": "Ana Souza",
                     *             "email": "ana@example.com",
                     *             "document": "52998224725",
                     *             "phone": null
                     *           },
                     *           "reference": "A-1001",
                     *           "description": "Assinatura de novembro",
                     *           "return_url": "https://shop.example/orders/A-1001",
                     *           "show_on_page": true,
                     *           "items": [
                     *             {
                     *               "name": "Assinatura",
                     *               "quantity": 1,
                     *               "unit_amount": 12990
                     *             }
                     *           ],
                     *           "metadata": {
                     *             "order_id": "A-1001"
                     *           },
                     *           "postback_url": null,
                     *           "pix": {
                     *             "txid": "01KA0000000700000000000000ABCDEF",
                     *             "payload": "00020101021226...",
                     *             "qr_base64": "iVBORw0KGgo...",
                     *             "expires_at": "2026-11-22T12:00:00.000Z"
                     *           },
                     *           "end_to_end_id": "E00000000202611211203ABCDEFGHIJK",
                     *           "failure_reason": null,
                     *           "reserve": null,
                     *           "refunded_amount": 0,
                     *           "refunds": [],
                     *           "exceptions": [],
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "expires_at": "2026-11-22T12:00:00.000Z",
                     *           "paid_at": "2026-11-21T12:03:00.000Z",
                     *           "expired_at": null,
                     *           "failed_at": null,
                     *           "refunded_at": null,
                     *           "chargeback_at": null
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    readonly listEventTypes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": []
                     *     }
                     */
                    readonly "application/json": {
                        /** @description All of them. */
                        readonly data: readonly components["schemas"]["EventType"][];
                    };
                };
            };
        };
    };
    readonly streamEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description The mode to follow; `live` by default. With an API key it must be the key's own mode. */
                readonly mode?: "live" | "test";
                /** @description Comma-separated event types or families such as `transaction.*`; all by default. */
                readonly types?: string;
                /** @description Like `Last-Event-ID`, for clients that cannot set the header; the header takes precedence. */
                readonly last_event_id?: string;
            };
            readonly header?: {
                /** @description The last event you have seen; the stream continues after it. */
                readonly "Last-Event-ID"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description `text/event-stream`. Frames are `id: evt_…`, `event: <type>` and `data: <event>`, followed by a blank line. Control frames carry no id: `ready` when the stream opens, `replay_gap` if the events after `Last-Event-ID` are no longer kept, `reconnect` when this connection is about to end and the client should open another. `: ping` every 15 s. A process that cannot serve the stream right now answers 200 with `reconnect` and closes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 3000
                     *
                     *     event: ready
                     *     data: {"mode":"test"}
                     *
                     *     id: evt_01KAH2Q7C8000000000000000
                     *     event: transaction.paid
                     *     data: {"id":"evt_01KAH2Q7C8000000000000000","object":"event","type":"transaction.paid",…}
                     */
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description `next_cursor` of the previous page; valid for the same list with the same filters only. */
                readonly cursor?: string;
                /** @description Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo. */
                readonly from?: string;
                /** @description Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo. */
                readonly to?: string;
                /** @description Only deliveries to this webhook endpoint. */
                readonly endpoint_id?: string;
                /** @description Only deliveries of this event. */
                readonly event_id?: string;
                /** @description Only deliveries of this resource's events. */
                readonly resource_id?: string;
                /** @description Only deliveries of this event type. */
                readonly event_type?: string;
                /** @description Only those with this status. */
                readonly status?: "success" | "failed" | "dead";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whd_01KA0000000700000000000000",
                     *           "event_id": "evt_01KA0000000700000000000000",
                     *           "event_type": "transaction.paid",
                     *           "endpoint_id": "we_01KA0000000700000000000000",
                     *           "target": "endpoint",
                     *           "attempt": 1,
                     *           "status": "failed",
                     *           "status_code": 500,
                     *           "response_ms": 42,
                     *           "error": "http_500",
                     *           "created_at": "2026-11-21T12:04:00.000Z",
                     *           "target_host": "example.com"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        /** @description The items of this page. */
                        readonly data: readonly components["schemas"]["Delivery"][];
                        /**
                         * @description Where the next page begins: `cursor` of the next request; null on the last page.
                         * @example null
                         */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly getDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description DeliveryDetail */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whd_01KA0000000700000000000000",
                     *       "event_id": "evt_01KA0000000700000000000000",
                     *       "event_type": "transaction.paid",
                     *       "endpoint_id": "we_01KA0000000700000000000000",
                     *       "target": "endpoint",
                     *       "attempt": 1,
                     *       "status": "failed",
                     *       "status_code": 500,
                     *       "response_ms": 42,
                     *       "error": "http_500",
                     *       "created_at": "2026-11-21T12:04:00.000Z",
                     *       "target_host": "example.com",
                     *       "request_headers": {
                     *         "Content-Type": "application/json",
                     *         "User-Agent": "Service-Webhooks/1.0",
                     *         "X-Event-Id": "evt_01KA0000000700000000000000",
                     *         "X-Event-Type": "transaction.paid",
                     *         "X-Delivery-Id": "whd_01KA0000000700000000000000",
                     *         "X-Attempt": "1",
                     *         "Idempotency-Key": "evt_01KA0000000700000000000000",
                     *         "webhook-id": "evt_01KA0000000700000000000000",
                     *         "webhook-timestamp": "1795262640",
                     *         "X-Signature": "t=1795262640,v1=5257a8695257a8695257a8695257a8695257a8695257a8695257a8695257a869",
                     *         "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
                     *       },
                     *       "response_body_excerpt": "Internal Server Error",
                     *       "signed_content": "1795262640.{\"id\":\"evt_01KA0000000700000000000000\",\"object\":\"event\",\"type\":\"transaction.paid\",\"mode\":\"test\",\"created_at\":\"2026-11-21T12:04:00.000Z\",\"seq\":2,\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"data\":{\"object\":{\"id\":\"txn_01KA0000000700000000000000\",\"object\":\"transaction\",\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"mode\":\"test\",\"status\":\"paid\",\"amount\":12990,\"fee\":0,\"net_amount\":12990,\"currency\":\"BRL\",\"payment_method\":\"pix\",\"payment_url\":\"https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk\",\"customer\":{\"name\":\"Ana Souza\",\"email\":\"ana@example.com\",\"document\":\"52998224725\",\"phone\":null},\"reference\":\"A-1001\",\"description\":\"Assinatura de novembro\",\"return_url\":\"https://shop.example/orders/A-1001\",\"show_on_page\":true,\"items\":[{\"name\":\"Assinatura\",\"quantity\":1,\"unit_amount\":12990}],\"metadata\":{\"order_id\":\"A-1001\"},\"postback_url\":null,\"pix\":{\"txid\":\"01KA0000000700000000000000ABCDEF\",\"payload\":\"00020101021226...\",\"qr_base64\":\"iVBORw0KGgo...\",\"expires_at\":\"2026-11-22T12:00:00.000Z\"},\"end_to_end_id\":\"E00000000202611211203ABCDEFGHIJK\",\"failure_reason\":null,\"reserve\":null,\"refunded_amount\":0,\"refunds\":[],\"exceptions\":[],\"created_at\":\"2026-11-21T12:00:00.000Z\",\"expires_at\":\"2026-11-22T12:00:00.000Z\",\"paid_at\":\"2026-11-21T12:03:00.000Z\",\"expired_at\":null,\"failed_at\":null,\"refunded_at\":null,\"chargeback_at\":null}}}",
                     *       "curl": "curl --http1.1 --globoff 'https://example.com/webhooks' \\\n  --header 'Content-Type: application/json' \\\n  --header 'User-Agent: Service-Webhooks/1.0' \\\n  --header 'X-Event-Id: evt_01KA0000000700000000000000' \\\n  --header 'X-Event-Type: transaction.paid' \\\n  --header 'X-Delivery-Id: whd_01KA0000000700000000000000' \\\n  --header 'X-Attempt: 1' \\\n  --header 'Idempotency-Key: evt_01KA0000000700000000000000' \\\n  --header 'webhook-id: evt_01KA0000000700000000000000' \\\n  --header 'webhook-timestamp: 1795262640' \\\n  --header 'X-Signature: t=1795262640,v1=5257a8695257a8695257a8695257a8695257a8695257a8695257a8695257a869' \\\n  --header 'webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' \\\n  --data-raw '{\"id\":\"evt_01KA0000000700000000000000\",\"object\":\"event\",\"type\":\"transaction.paid\",\"mode\":\"test\",\"created_at\":\"2026-11-21T12:04:00.000Z\",\"seq\":2,\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"data\":{\"object\":{\"id\":\"txn_01KA0000000700000000000000\",\"object\":\"transaction\",\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"mode\":\"test\",\"status\":\"paid\",\"amount\":12990,\"fee\":0,\"net_amount\":12990,\"currency\":\"BRL\",\"payment_method\":\"pix\",\"payment_url\":\"https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk\",\"customer\":{\"name\":\"Ana Souza\",\"email\":\"ana@example.com\",\"document\":\"52998224725\",\"phone\":null},\"reference\":\"A-1001\",\"description\":\"Assinatura de novembro\",\"return_url\":\"https://shop.example/orders/A-1001\",\"show_on_page\":true,\"items\":[{\"name\":\"Assinatura\",\"quantity\":1,\"unit_amount\":12990}],\"metadata\":{\"order_id\":\"A-1001\"},\"postback_url\":null,\"pix\":{\"txid\":\"01KA0000000700000000000000ABCDEF\",\"payload\":\"00020101021226...\",\"qr_base64\":\"iVBORw0KGgo...\",\"expires_at\":\"2026-11-22T12:00:00.000Z\"},\"end_to_end_id\":\"E00000000202611211203ABCDEFGHIJK\",\"failure_reason\":null,\"reserve\":null,\"refunded_amount\":0,\"refunds\":[],\"exceptions\":[],\"created_at\":\"2026-11-21T12:00:00.000Z\",\"expires_at\":\"2026-11-22T12:00:00.000Z\",\"paid_at\":\"2026-11-21T12:03:00.000Z\",\"expired_at\":null,\"failed_at\":null,\"refunded_at\":null,\"chargeback_at\":null}}}'",
                     *       "payload": {
                     *         "id": "evt_01KA0000000700000000000000",
                     *         "object": "event",
                     *         "type": "transaction.paid",
                     *         "mode": "test",
                     *         "created_at": "2026-11-21T12:04:00.000Z",
                     *         "seq": 2,
                     *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *         "data": {
                     *           "object": {
                     *             "id": "txn_01KA0000000700000000000000",
                     *             "object": "transaction",
                     *             "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *             "mode": "test",
                     *             "status": "paid",
                     *             "amount": 12990,
                     *             "fee": 0,
                     *             "net_amount": 12990,
                     *             "currency": "BRL",
                     *             "payment_method": "pix",
                     *             "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *             "customer": {
                     *               "name": "Ana Souza",
                     *               "email": "ana@example.com",
                     *               "document": "52998224725",
                     *               "phone": null
                     *             },
                     *             "reference": "A-1001",
                     *             "description": "Assinatura de novembro",
                     *             "return_url": "https://shop.example/orders/A-1001",
                     *             "show_on_page": true,
                     *             "items": [
                     *               {
                     *                 "name": "Assinatura",
                     *                 "quantity": 1,
                     *                 "unit_amount": 12990
                     *               }
                     *             ],
                     *             "metadata": {
                     *               "order_id": "A-1001"
                     *             },
                     *             "postback_url": null,
                     *             "pix": {
                     *               "txid": "01KA0000000700000000000000ABCDEF",
                     *               "payload": "00020101021226...",
                     *               "qr_base64": "iVBORw0KGgo...",
                     *               "expires_at": "2026-11-22T12:00:00.000Z"
                     *             },
                     *             "end_to_end_id": "E00000000202611211203ABCDEFGHIJK",
                     *             "failure_reason": null,
                     *             "reserve": null,
                     *             "refunded_amount": 0,
                     *             "refunds": [],
                     *             "exceptions": [],
                     *             "created_at": "2026-11-21T12:00:00.000Z",
                     *             "expires_at": "2026-11-22T12:00:00.000Z",
                     *             "paid_at": "2026-11-21T12:03:00.000Z",
                     *             "expired_at": null,
                     *             "failed_at": null,
                     *             "refunded_at": null,
                     *             "chargeback_at": null
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    readonly retryDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whd_01KA0000000700000000000000"
                     *     }
                     */
                    readonly "application/json": {
                        /**
                         * @description The id that the attempt will have.
                         * @example whd_01KA0000000700000000000000
                         */
                        readonly delivery_id: string;
                    };
                };
            };
        };
    };
    readonly listPixKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "pk_01KA0000000700000000000000",
                     *           "object": "pix_key",
                     *           "mode": "test",
                     *           "type": "cpf",
                     *           "value": "***.982.247-**",
                     *           "status": "verified",
                     *           "created_at": "2026-11-21T12:00:00.000Z",
                     *           "verified_at": "2026-11-21T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        /** @description All of them. */
                        readonly data: readonly components["schemas"]["PixKey"][];
                    };
                };
            };
        };
    };
    readonly payTestTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly expireTestTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly failTestTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly refundTestTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly chargebackTestTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Transaction */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txn_01KA0000000700000000000000",
                     *       "object": "transaction",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "pending",
                     *       "amount": 12990,
                     *       "fee": 0,
                     *       "net_amount": 12990,
                     *       "currency": "BRL",
                     *       "payment_method": "pix",
                     *       "payment_url": "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk",
                     *       "customer": {
                     *         "name": "Ana Souza",
                     *         "email": "ana@example.com",
                     *         "document": "52998224725",
                     *         "phone": null
                     *       },
                     *       "reference": "A-1001",
                     *       "description": "Assinatura de novembro",
                     *       "return_url": "https://shop.example/orders/A-1001",
                     *       "show_on_page": true,
                     *       "items": [
                     *         {
                     *           "name": "Assinatura",
                     *           "quantity": 1,
                     *           "unit_amount": 12990
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "order_id": "A-1001"
                     *       },
                     *       "postback_url": null,
                     *       "pix": {
                     *         "txid": "01KA0000000700000000000000ABCDEF",
                     *         "payload": "00020101021226...",
                     *         "qr_base64": "iVBORw0KGgo...",
                     *         "expires_at": "2026-11-22T12:00:00.000Z"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "reserve": null,
                     *       "refunded_amount": 0,
                     *       "refunds": [],
                     *       "exceptions": [],
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "expires_at": "2026-11-22T12:00:00.000Z",
                     *       "paid_at": null,
                     *       "expired_at": null,
                     *       "failed_at": null,
                     *       "refunded_at": null,
                     *       "chargeback_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readonly approveTestWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly rejectTestWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly succeedTestWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly failTestWithdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Withdrawal */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wd_01KA0000000700000000000000",
                     *       "object": "withdrawal",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "mode": "test",
                     *       "status": "awaiting",
                     *       "amount": 10000,
                     *       "fee": 100,
                     *       "total": 10100,
                     *       "currency": "BRL",
                     *       "description": "November",
                     *       "pix_key_id": "pk_01KA0000000700000000000000",
                     *       "pix_key": {
                     *         "type": "cpf",
                     *         "value": "***.982.247-**"
                     *       },
                     *       "end_to_end_id": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "approved_at": null,
                     *       "processing_at": null,
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly succeedTestRefund: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Refund */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rfd_01KA0000000700000000000000",
                     *       "object": "refund",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "transaction_id": "txn_01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "amount": 500,
                     *       "currency": "BRL",
                     *       "status": "pending",
                     *       "reason": "One of two shirts came back",
                     *       "origin": "seller",
                     *       "failure_code": null,
                     *       "failure_reason": null,
                     *       "return_id": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Refund"];
                };
            };
        };
    };
    readonly failTestRefund: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Refund */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rfd_01KA0000000700000000000000",
                     *       "object": "refund",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "transaction_id": "txn_01KA0000000700000000000000",
                     *       "mode": "test",
                     *       "amount": 500,
                     *       "currency": "BRL",
                     *       "status": "pending",
                     *       "reason": "One of two shirts came back",
                     *       "origin": "seller",
                     *       "failure_code": null,
                     *       "failure_reason": null,
                     *       "return_id": null,
                     *       "created_at": "2026-11-21T12:00:00.000Z",
                     *       "updated_at": "2026-11-21T12:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Refund"];
                };
            };
        };
    };
    readonly advanceTestClock: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["ClockAdvance"];
            };
        };
        readonly responses: {
            /** @description TestClock */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "advanced_seconds": 3600,
                     *       "now": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["TestClock"];
                };
            };
        };
    };
    readonly getTestClock: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description TestTime */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "advanced_seconds": 3600,
                     *       "now": "2026-11-21T12:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["TestTime"];
                };
            };
        };
    };
    readonly sendTransactionReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ana@example.com"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SendReceipt"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true
                     *     }
                     */
                    readonly "application/json": {
                        /** @description Whether it is done. */
                        readonly status: boolean;
                    };
                };
            };
        };
    };
    readonly getRefundReceipt: {
        readonly parameters: {
            readonly query?: {
                /** @description The receipt's language. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt, a page of A4. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/pdf": string;
                };
            };
        };
    };
    readonly sendRefundReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ana@example.com"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SendReceipt"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true
                     *     }
                     */
                    readonly "application/json": {
                        /** @description Whether it is done. */
                        readonly status: boolean;
                    };
                };
            };
        };
    };
    readonly getWithdrawalReceipt: {
        readonly parameters: {
            readonly query?: {
                /** @description The receipt's language. */
                readonly locale?: "pt-BR" | "en";
            };
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt, a page of A4. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/pdf": string;
                };
            };
        };
    };
    readonly sendWithdrawalReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The resource's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ana@example.com"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SendReceipt"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true
                     *     }
                     */
                    readonly "application/json": {
                        /** @description Whether it is done. */
                        readonly status: boolean;
                    };
                };
            };
        };
    };
}
