import { Page } from "../../ui/page.tsx"

export default () => <Page title="desk" ready />
