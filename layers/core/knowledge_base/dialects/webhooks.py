"""The wordings of all dialects' deliveries, by form."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge_base.dialects.uran.webhooks import DocumentStatus, PostedAnswer
from knowledge_base.domain.deliveries import DeliveryForm
from knowledge_base.services.notifications import Wording

WORDINGS: Mapping[DeliveryForm, Wording] = {
    DeliveryForm.URAN_DOCUMENT_STATUS: DocumentStatus(),
    DeliveryForm.URAN_ANSWER: PostedAnswer(),
}
