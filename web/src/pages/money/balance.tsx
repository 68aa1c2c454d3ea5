import { Page } from "../../ui/page.tsx"

export default () => <Page title="balance" ready />
