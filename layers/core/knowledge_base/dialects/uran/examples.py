"""The uran document's own examples, for the OpenAPI document; its abbreviations are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from knowledge_base.dialects.uran import schemas

_SUCCESS = {"status": 200, "message": "success"}
_PHONE = "What’s the phone number of Qiu?"
_DOCUMENT = {"name": "码极客算法白皮书", "type": "pdf", "url": "http://xxxxxxxxxxxxxxx", "md5": "sfh8i3ss"}

EXAMPLES: Mapping[type[BaseModel], Mapping[str, Any]] = {
    schemas.AskAssistant: {
        "prompt": "你现在是考拉AI能力专家，针对用户询问的关于AI能力相关特性作出回答",
        "question": "烟火识别的准确率如何，是否适合工厂应用",
    },
    schemas.ImportDocuments: {
        "documents": [_DOCUMENT],
        "repository": "OsmagicAlgorithmSpec",
        "notifyUrl": "http://xxxxxxxxxxxxxxx",
    },
    schemas.DeleteDocuments: {
        "documents": ["码极客算法白皮书", "码极客算法报价单"],
        "repository": "OsmagicAlgorithmSpec",
    },
    schemas.DeleteRepositories: {"repositories": ["OsmagicAlgorithmSpec"]},
    schemas.AskQuestion: {
        "maxTokens": 128,
        "temperature": 0.7,
        "messages": [
            {
                "role": "user",
                "content": "请帮我描述下这个图片里的内容",
                "images": "http://10.10.8.5:30601/storage/files/1669551431047143425.jpg",
            }
        ],
        "model": "koala-mm",
        "repository": {"repository": "铁塔高空监控", "threshold": 0.5, "topK": 2},
        "background": "repository",
    },
    schemas.PutQuestion: {"text": _PHONE, "respUrl": "http://10.10.1.111:666/uran/llm/response"},
    schemas.TakeAnswer: {"questionToken": "w3rdsjighh1388903", "answer": "He’s phone numbers are 1xxxx, 13xxxxx...."},
    schemas.EmbedText: {"text": _PHONE},
    schemas.EmbedTexts: {
        "texts": ["Hi there!", "Oh, hello!", "What's your name?", "My friends call me World", "Hello World!"]
    },
    schemas.CombineTexts: {
        "question": _PHONE,
        "texts": ["He’s first phone number is 1xxxx", "He’s second phone number is 1xxxxxx"],
    },
    schemas.UranReply: _SUCCESS,
    schemas.AnswerReply: {**_SUCCESS, "data": {"answer": "He’s phone numbers are 1xxxx, 13xxxxx...."}},
    schemas.EmbeddingReply: {**_SUCCESS, "data": {"embedding": [0.8934, 0.81, 0.1111]}},
    schemas.EmbeddingsReply: {
        **_SUCCESS,
        "data": {"embeddings": [[0.3434, 0.12, 0.133], [0.8934, 0.81, 0.1111], [0.24346, 0.3434, 0.21]]},
    },
    schemas.TokenReply: {**_SUCCESS, "data": {"questionToken": "w3rdsjighh1388903"}},
}
